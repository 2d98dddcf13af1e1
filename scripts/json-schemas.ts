import * as z from 'zod'
import { KINDS, type Kind } from '../src/repo/kinds.ts'
import { KNOWN_VERSIONS, minorOf } from '../src/repo/kubelet-knowledge/versions.ts'
import { plainKubeletConfiguration } from '../src/repo/schema/kubelet-config.ts'
import { CONFIG_DEFINITION, FLAGS_DEFINITION, kubeletDefinitions } from './kubelet-schemas.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema
type Definitions = Readonly<Record<string, JsonSchema>>

const DRAFT = 'http://json-schema.org/draft-07/schema#'
/** A name, not an address: each schema is complete in itself, so that nothing has to be fetched. */
export const SCHEMA_BASE = 'https://nodewave.io/schemas/v1alpha1'

/** What people may write, for editors: by file name under `schemas/`. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const kinds = Object.keys(KINDS) as Kind[]
  const versions = KNOWN_VERSIONS.map((version): [string, JsonSchema] => [
    `nodewave-1.${minorOf(version)}.json`,
    anyKind(kinds, version),
  ])
  return new Map(
    [
      ...kinds.map((kind): [string, JsonSchema] => [fileOf(kind), oneKind(kind)]),
      ['kubelet-configuration.json', withHead(plainConfiguration(), kubeletDefinitions(undefined))] as const,
      ['nodewave.json', anyKind(kinds, undefined)] as const,
      ...versions,
    ].map(([file, schema]) => [file, { ...schema, $id: `${SCHEMA_BASE}/${file}` }]),
  )
}

/** `NodePool` → `node-pool.json` */
export function fileOf(kind: string): string {
  return `${kind.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase()}.json`
}

function oneKind(kind: Kind): JsonSchema {
  const { schema, definitions } = schemaOf(kind)
  return withHead(schema, { ...definitions, ...(Object.hasOwn(KUBELET_PLACES, kind) ? kubeletDefinitions(undefined) : {}) })
}

/** One schema for files in which several kinds stand: the kind decides. @param version of the kubelets; without it any */
function anyKind(kinds: readonly Kind[], version: string | undefined): JsonSchema {
  const parts = kinds.map((kind) => ({ kind, ...schemaOf(kind) }))
  const of = version === undefined ? '' : ` For kubelets ${version.replace(/\.\d+$/, '')}.`
  const schema: JsonSchema = {
    description: `A document of a fleet repository, of any kind.${of}`,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata'],
    oneOf: [...kinds, 'KubeletConfiguration'].map((kind) => ({ $ref: `#/definitions/${kind}` })),
  }
  const own = Object.fromEntries(parts.map(({ kind, schema: each }) => [kind, each]))
  const shared: Definitions = Object.assign({}, ...parts.map(({ definitions }) => definitions))
  return withHead(schema, {
    ...own,
    KubeletConfiguration: plainConfiguration(version),
    ...shared,
    ...kubeletDefinitions(version),
  })
}

function withHead(schema: JsonSchema, definitions: Definitions): JsonSchema {
  return { $schema: DRAFT, ...schema, ...(Object.keys(definitions).length === 0 ? {} : { definitions: { ...definitions } }) }
}

/** Definitions get the name of their kind, so that several kinds fit into one schema. */
function schemaOf(kind: Kind): { readonly schema: JsonSchema; readonly definitions: Definitions } {
  const text = JSON.stringify(z.toJSONSchema(KINDS[kind], { io: 'input', target: 'draft-7' }))
  const { $schema: _, definitions = {}, ...schema } = JSON.parse(text.replaceAll('"#/definitions/', `"#/definitions/${kind}.`))
  const named = Object.entries(definitions as Definitions).map(([name, each]) => [`${kind}.${name}`, each])
  return { schema: withKubelet(kind, withVariables(schema)), definitions: Object.fromEntries(named) }
}

/** A variable of a Cluster may stand for each value that has a form. Names of documents and keys of maps have none. */
function withVariables<T>(part: T): T {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map(withVariables) as T
  const entries = Object.entries(part).map(([key, value]) => {
    if (key === 'propertyNames' || key === 'metadata') return [key, value]
    return [key, key === 'pattern' ? `${value}|\\{\\{ *cluster\\.` : withVariables(value)]
  })
  return Object.fromEntries(entries)
}

/** Where a kind has what a kubelet knows. */
const KUBELET_PLACES: Partial<Record<Kind, Readonly<Record<string, string>>>> = {
  FlagSet: { 'spec.flags': FLAGS_DEFINITION },
  NodePool: { 'spec.kubelet.flags': FLAGS_DEFINITION },
  KubeletConfig: { 'spec.config': CONFIG_DEFINITION },
  NodeOverride: { 'spec.flags': FLAGS_DEFINITION, 'spec.config': CONFIG_DEFINITION },
}

function withKubelet(kind: Kind, schema: JsonSchema): JsonSchema {
  for (const [path, name] of Object.entries(KUBELET_PLACES[kind] ?? {})) {
    const keys = path.split('.')
    const last = keys.pop() ?? ''
    const owner = keys.reduce((at, key) => propertiesOf(at)[key] ?? {}, schema)
    const { description } = propertiesOf(owner)[last] ?? {}
    propertiesOf(owner)[last] = {
      ...(description !== undefined && { description }),
      allOf: [{ $ref: `#/definitions/${name}` }],
    }
  }
  return schema
}

/** The kubelet's own document, with a name. */
function plainConfiguration(version?: string): JsonSchema {
  const { metadata = {} } = propertiesOf(z.toJSONSchema(plainKubeletConfiguration, { io: 'input', target: 'draft-7' }))
  const configuration = kubeletDefinitions(version)[CONFIG_DEFINITION] ?? {}
  return {
    description: "The kubelet's own document, with a name: a KubeletConfig as kubelets read it.",
    ...configuration,
    required: ['apiVersion', 'kind', 'metadata'],
    properties: { ...propertiesOf(configuration), metadata },
  }
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}
