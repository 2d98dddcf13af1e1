import * as z from 'zod'
import { architecture, document, sha256, version } from './common.ts'
import {
  aptRepositoryFields,
  COMPONENTS,
  hasComponents,
  hasOneKey,
  ONE_KEY,
  packageName,
  rpmRepositoryFields,
} from './packages.ts'

const urlTemplate = z.string().regex(/^https?:\/\/(?:[^\s{}]|\{\{[^{}]*\}\})+$/, 'expected an http or https URL')

const binary = z.strictObject({
  url: urlTemplate.describe('Where the kubelet binary is; {{version}} and {{arch}} are replaced.'),
  sha256: z
    .record(version, z.partialRecord(architecture, sha256))
    .describe('Checksum of the binary by version and architecture.'),
})

const packageFields = {
  url: urlTemplate
    .exactOptional()
    .describe('Where the repository is; {{minor}} and {{version}} are replaced. Default: the repositories that the host has.'),
  package: packageName.exactOptional().describe('Name of the package. Default: kubelet.'),
  version: z
    .string()
    .regex(/^[^\s{}]*\{\{\s*version\s*\}\}[^\s{}]*$/, 'expected a pattern such as "{{version}}-1.1"')
    .describe('Version of the package, such as "{{version}}-1.1"; of an rpm with its release, such as "{{version}}-150500.1.1".'),
}

const OF_A_REPOSITORY = ['key', 'keyFrom', 'suite', 'components', 'architectures'] as const
const NO_REPOSITORY = `expected url beside ${OF_A_REPOSITORY.join(', ')}`

type Packaged = { readonly url?: string | undefined } & { readonly [Field in (typeof OF_A_REPOSITORY)[number]]?: unknown }

/** Without a URL, the package comes from the repositories of the host, which nothing here describes. */
function describesNone(source: Packaged): boolean {
  return source.url === undefined && OF_A_REPOSITORY.every((field) => source[field] === undefined)
}

function hasUrl({ url }: Packaged): boolean {
  return url !== undefined
}

const apt = z
  .strictObject({ ...aptRepositoryFields, ...packageFields })
  .refine((source) => hasUrl(source) || describesNone(source), NO_REPOSITORY)
  .refine((source) => !hasUrl(source) || hasOneKey(source), ONE_KEY)
  .refine((source) => !hasUrl(source) || hasComponents(source), COMPONENTS)

const rpm = z
  .strictObject({ ...rpmRepositoryFields, ...packageFields })
  .refine((source) => hasUrl(source) || describesNone(source), NO_REPOSITORY)
  .refine((source) => !hasUrl(source) || hasOneKey(source), ONE_KEY)

const kubeletReleaseSpec = z.strictObject({
  binary: binary.exactOptional().describe('The binary itself, by URL and checksum.'),
  apt: apt.exactOptional().describe('A Debian package.'),
  dnf: rpm.exactOptional().describe('An rpm package.'),
  zypper: rpm.exactOptional().describe('The same, where zypper manages packages.'),
})

export const kubeletRelease = document(
  'KubeletRelease',
  kubeletReleaseSpec.refine((spec) => Object.keys(spec).length === 1, 'expected one of binary, apt, dnf and zypper'),
).describe('How a kubelet version is obtained.')
export type KubeletReleaseSpec = z.infer<typeof kubeletReleaseSpec>
