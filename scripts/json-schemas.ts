import * as z from 'zod'
import { KINDS } from '../src/repo/kinds.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

/** What people may write, for editors: by file name under `schemas/`. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const kinds = Object.entries(KINDS).map(
    ([kind, schema]) => [kind, z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })] as const,
  )
  return new Map([
    ...kinds.map(([kind, schema]) => [fileOf(kind), schema] as const),
    ['nodewave.json', anyKind(kinds.map(([kind]) => kind))],
  ])
}

/** `NodePool` → `node-pool.json` */
export function fileOf(kind: string): string {
  return `${kind.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase()}.json`
}

/** One schema for files in which several kinds stand: the kind decides. */
function anyKind(kinds: readonly string[]): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'A document of a fleet repository, of any kind.',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata'],
    oneOf: kinds.map((kind) => ({ $ref: fileOf(kind) })),
  }
}
