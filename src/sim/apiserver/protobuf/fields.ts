import generated from '../generated/protobuf-fields.json' with { type: 'json' }
import { WELL_KNOWN } from './well-known.ts'

/** A field of a message, and how JSON has it. */
export interface Field {
  /** In JSON, or INLINE. */
  readonly name: string
  /** `string`, `bytes`, `bool`, `int32`, `int64`, or the name of a message */
  readonly type: string
  readonly shape: 'one' | 'list' | 'map'
  /** JSON leaves its zero out, which protobuf sends. */
  readonly omitsZero: boolean
}

/** The name of a field whose members JSON has in the object around it. */
export const INLINE = '...'

export type Fields = ReadonlyMap<number, Field>

const roots: { readonly [kind: string]: string } = generated.roots
const messages = generated.messages as unknown as { readonly [message: string]: { readonly [number: string]: string } }
const parsed = new Map<string, Fields>()

/** @param kind as `v1/Node` or `apps/v1/Deployment`. @returns the name of its message; undefined when it is not known */
export function messageOf(kind: string): string | undefined {
  return Object.hasOwn(roots, kind) ? roots[kind] : undefined
}

export function fieldsOf(message: string): Fields {
  const known = parsed.get(message)
  if (known) return known
  const written = WELL_KNOWN[message]?.fields ?? messages[message] ?? {}
  const entries = Object.entries(written).map(([number, text]) => [Number(number), fieldOf(text)] as const)
  const fields = new Map(entries)
  parsed.set(message, fields)
  return fields
}

/** @param text as in `name string omitempty`, `finalizers []string`, `data map[]bytes`, `... core.v1.VolumeSource` */
function fieldOf(text: string): Field {
  const [name = '', written = '', option] = text.split(' ')
  const shape = written.startsWith('[]') ? 'list' : written.startsWith('map[]') ? 'map' : 'one'
  return { name, type: written.slice(written.indexOf(']') + 1), shape, omitsZero: option === 'omitempty' }
}
