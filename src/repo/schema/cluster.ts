import * as z from 'zod'
import { document, name, relativePath } from './common.ts'

const variable = z.union([z.string(), z.number(), z.boolean()], 'expected a string, a number, true or false')
export type VariableValue = z.infer<typeof variable>

/** What a pointer of RFC 6901 looks like. */
const pointer = z.string().regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'expected a JSON pointer such as "/kubelet/version"')

const operation = z
  .strictObject({
    op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']).describe('As in RFC 6902.'),
    path: pointer.describe('Where, within the spec: "/kubelet/flagSets/-".'),
    from: pointer.exactOptional().describe('Of move and copy: where it is taken from.'),
    value: z.json().exactOptional().describe('Of add, replace and test.'),
  })
  .refine(
    ({ op, value }) => (value !== undefined) === (op === 'add' || op === 'replace' || op === 'test'),
    'expected a value with add, replace and test, and none with remove, move and copy',
  )
  .refine(
    ({ op, from }) => (from !== undefined) === (op === 'move' || op === 'copy'),
    'expected from with move and copy, and with nothing else',
  )
export type PatchOperation = z.infer<typeof operation>

/** Every kind but Cluster. */
export const PATCHED_KINDS = [
  'Fleet',
  'NodePool',
  'FlagSet',
  'KubeletConfig',
  'KubeletRelease',
  'HostProfile',
  'NodeOverride',
] as const

const patch = z
  .strictObject({
    target: z
      .strictObject({
        kind: z.enum(PATCHED_KINDS).describe('Kind of the documents.'),
        name: name.exactOptional().describe('Name of the document. Default: every document of the kind.'),
      })
      .describe('The documents that are patched.'),
    merge: z
      .record(z.string(), z.json())
      .exactOptional()
      .describe('A JSON merge patch of the spec (RFC 7396): maps merge, null removes, everything else replaces.'),
    json6902: z
      .array(operation)
      .min(1)
      .max(100)
      .exactOptional()
      .describe('JSON patch operations on the spec (RFC 6902), in order.'),
  })
  .refine(({ merge, json6902 }) => (merge === undefined) !== (json6902 === undefined), 'expected either merge or json6902')
export type PatchSpec = z.infer<typeof patch>

const clusterSpec = z.strictObject({
  paths: z
    .array(relativePath)
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Folders and files of the fleet whose documents the cluster uses. Default: all.'),
  variables: z
    .record(
      z
        .string()
        .regex(/^(?!name$)[A-Za-z][A-Za-z0-9_]{0,62}$/, 'expected a name such as "region"; "name" is the name of the cluster'),
      variable,
    )
    .exactOptional()
    .describe('Values for {{ cluster.NAME }} in documents; {{ cluster.name }} is the name of the cluster.'),
  patches: z.array(patch).max(1000).exactOptional().describe('Changes of shared documents for this cluster, in order.'),
})

export const cluster = document('Cluster', clusterSpec).describe('One of several clusters that the repository is for.')
export type ClusterSpec = z.infer<typeof clusterSpec>
