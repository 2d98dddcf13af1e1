import * as z from 'zod'
import { ABSOLUTE_PATH } from '../../protocol/host-document.ts'
import { isDateRange, LABEL_KEY, LABEL_VALUE, parseDuration, parseShare, VERSION } from './values.ts'

/** What every document of ours begins with. */
export const REPO_API_VERSION = 'nodewave.io/v1alpha1'

/** A name that people give: a DNS label, so that it can stand in object names and labels. */
export const name = z
  .string()
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a name of lower-case letters, digits and "-", at most 63 long')

/** `45s`, `10m`, `1h30m`; read as milliseconds. */
export const duration = z
  .string('expected a duration such as "45s", "10m" or "1h30m"')
  .regex(
    /^(?:0|(?=\d)(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,6}s)?(?:\d{1,6}ms)?)$/,
    'expected a duration such as "45s", "10m" or "1h30m"',
  )
  .transform(parseDuration)

const DATES = 'expected a date such as "2026-12-24", or two such as "2026-12-24/2027-01-02"'

/** `2026-12-24`, or `2026-12-24/2027-01-02`. */
export const dateRange = z.string(DATES).refine(isDateRange, {
  error: ({ input }) => {
    const [first, last] = String(input).split('/')
    const isReversed = isDateRange(`${last}/${first}`)
    return isReversed ? `expected the first day before the last: ${last} is before ${first}; write "${last}/${first}"` : DATES
  },
})

const SHARE = 'expected a whole number or a percentage of at most 100%, such as "20%"'

/** A count of nodes or a part of them: `2` or `20%`. */
export const share = z
  .union([z.int().min(0).max(1_000_000), z.string().regex(/^(?:100|\d{1,2})%$/, SHARE)], SHARE)
  .transform(parseShare)
export type Share = z.output<typeof share>

export const labelKey = z.string().regex(LABEL_KEY, 'expected a label key such as "node-role.kubernetes.io/worker"')
export const labelValue = z
  .string('expected a quoted string')
  .regex(LABEL_VALUE, 'expected a label value: letters, digits, "-", "_" and ".", at most 63 long')

const labelExpression = z
  .strictObject({
    key: labelKey.describe('The label.'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('As in a LabelSelector of Kubernetes.'),
    values: z.array(labelValue).min(1).max(1000).exactOptional().describe('Of In and NotIn.'),
  })
  .refine(
    ({ operator, values }) => (values !== undefined) === (operator === 'In' || operator === 'NotIn'),
    'expected values with In and NotIn, and none with Exists and DoesNotExist',
  )

/** All of it must hold for the labels of a node. Without conditions every node is meant. */
export const selector = z
  .strictObject({
    matchLabels: z
      .record(labelKey, labelValue)
      .exactOptional()
      .describe('Labels that a node must have, with these values; none: every node.'),
    matchExpressions: z
      .array(labelExpression)
      .min(1)
      .max(100)
      .exactOptional()
      .describe('More conditions on labels; all must hold.'),
  })
  .refine(({ matchLabels, matchExpressions }) => (matchLabels ?? matchExpressions) !== undefined, {
    path: ['matchLabels'],
    message: 'expected matchLabels, matchExpressions or both',
  })
  .transform((stated) => ({ matchLabels: {}, ...stated }))
export type Selector = z.output<typeof selector>

const scalar = z.union([z.string(), z.number(), z.boolean()])

/** Lists and maps are rendered in the kubelet's own syntax: `a,b` and `k=v,k2=v2`. null removes a key where maps merge. */
export const flagValue = z.union(
  [scalar, z.array(scalar), z.record(z.string(), scalar.nullable())],
  'expected a string, a number, true, false, a list or a map of such',
)
export type FlagValue = z.infer<typeof flagValue>

export const flags = z
  .record(
    z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected the name of a kubelet flag without leading dashes, such as "node-labels"'),
    flagValue,
    // Of a key that is no name of a flag, the name's own message says more.
    { error: ({ code }) => (code === 'invalid_type' ? 'expected a map of flags, such as {max-pods: 110}' : undefined) },
  )
  .describe('Kubelet flags by name, without the leading dashes; lists and maps are written in the syntax of the kubelet.')
export type Flags = z.infer<typeof flags>

/** Part of a KubeletConfiguration; merged as RFC 7396 says, so null removes what an earlier document set. */
export const kubeletFields = z.record(z.string(), z.json())
export type KubeletFields = z.infer<typeof kubeletFields>

export const version = z
  .string('expected a kubelet version as a quoted string, such as "1.36.3"')
  .regex(VERSION, 'expected a kubelet version such as "1.36.3"')

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a sha256 of 64 lower-case hexadecimal digits')

/** {{arch}} is replaced by the architecture of the machine. */
export const urlByArch = z
  .string()
  .regex(
    /^https?:\/\/[^\s/{}]+(?:\/(?:[^\s{}]|\{\{\s*arch\s*\}\})*)?$/,
    'expected an http or https URL, with {{arch}} in its path at most',
  )

const ARCHITECTURES = ['amd64', 'arm64', 'arm', '386', 'ppc64le', 's390x', 'riscv64'] as const
export const architecture = z.enum(ARCHITECTURES)

/** What is downloaded, and known by its checksum. */
export const downloadFields = {
  url: urlByArch.describe('Where it is; {{arch}} is replaced by "amd64", "arm64" and so on.'),
  sha256: z
    .union([sha256, z.partialRecord(architecture, sha256)], 'expected a sha256, or one for each architecture')
    .describe('Checksum: one for every machine, or one for each architecture.'),
}

export const httpUrl = z.string().regex(/^https?:\/\/[^\s/]+(?:\/\S*)?$/, 'expected an http or https URL')

export const absolutePath = z
  .string()
  .regex(ABSOLUTE_PATH, 'expected an absolute path without "." and ".." in it, and without "/" twice or at its end')
  .refine((path) => path.isWellFormed(), 'expected whole characters: this has half of one')

/** `name` of the metadata is all that documents of ours carry besides their kind. */
export function document<Kind extends string, Spec extends z.ZodType>(kind: Kind, spec: Spec) {
  return z.strictObject({
    apiVersion: z.literal(REPO_API_VERSION),
    kind: z.literal(kind),
    metadata: z.strictObject({ name: name.describe(`Name of the ${kind}; unique among documents of this kind.`) }),
    spec,
  })
}

/** A file of the repository. */
export const relativePath = z
  .string()
  .regex(
    /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\0\\]*[^\0/\\]$/,
    'expected a path in the repository, relative to the folder of the fleet, without ".."',
  )
