import type { Json, JsonObject } from '../json.ts'
import type { Field } from './fields.ts'
import { fieldsOf, INLINE } from './fields.ts'
import { WELL_KNOWN } from './well-known.ts'
import type { Tag } from './wire-reader.ts'
import { WIRE, WireError, WireReader } from './wire-reader.ts'

interface Scalar {
  readonly wire: number
  readonly zero: Json
  readonly read: (reader: WireReader) => Json
}

const SCALARS: { readonly [type: string]: Scalar } = {
  string: { wire: WIRE.bytes, zero: '', read: (reader) => reader.bytes().toString() },
  bytes: { wire: WIRE.bytes, zero: '', read: (reader) => reader.bytes().toString('base64') },
  bool: { wire: WIRE.varint, zero: false, read: (reader) => reader.varint() !== 0n },
  int32: { wire: WIRE.varint, zero: 0, read: (reader) => Number(BigInt.asIntN(32, reader.varint())) },
  int64: { wire: WIRE.varint, zero: 0, read: (reader) => Number(BigInt.asIntN(64, reader.varint())) },
}

/** An object that is being read: a list or a map grows with each occurrence of its field. */
interface Draft {
  readonly values: Map<string, Json>
  readonly lists: Map<string, Json[]>
  readonly maps: Map<string, Map<string, Json>>
}

/**
 * A message as the JSON that its sender could have sent instead, without nulls. Unknown fields are dropped, as Kubernetes does.
 * @returns undefined for what JSON leaves out. @throws {WireError}
 */
export function decodeMessage(bytes: Buffer, message: string): Json | undefined {
  const object = readMessage(bytes, message)
  const special = WELL_KNOWN[message]
  return special ? special.toJson(object) : object
}

function readMessage(bytes: Buffer, message: string): JsonObject {
  const reader = new WireReader(bytes)
  const fields = fieldsOf(message)
  const draft: Draft = { values: new Map(), lists: new Map(), maps: new Map() }
  while (!reader.done) {
    const { number, wire } = readTag(reader, message)
    const field = fields.get(number)
    if (!field) reader.skip(wire)
    else if (field.shape === 'list') readItem(reader, { field, wire, draft })
    else if (field.shape === 'map') readEntry(reader, { field, wire, draft })
    else readMember(reader, { field, wire, draft })
  }
  // From entries: a key may be __proto__.
  const maps = [...draft.maps].map(([name, entries]) => [name, Object.fromEntries(entries)] as const)
  return Object.fromEntries([...draft.values, ...draft.lists, ...maps])
}

function readTag(reader: WireReader, message: string): Tag {
  const tag = reader.tag()
  const refused = (why: string) => new WireError(`proto: ${message.split('.').at(-1)}: ${why}`)
  if (tag.wire === WIRE.groupEnd) throw refused('wiretype end group for non-group')
  if (tag.number <= 0) throw refused(`illegal tag ${tag.number} (wire type ${tag.wire})`)
  return tag
}

interface Place {
  readonly field: Field
  readonly wire: number
  readonly draft: Draft
}

function readMember(reader: WireReader, { field, wire, draft }: Place): void {
  if (field.name === INLINE) {
    checkWire(wire, WIRE.bytes, field)
    for (const [name, member] of Object.entries(readMessage(reader.bytes(), field.type)))
      if (member !== undefined) draft.values.set(name, member)
    return
  }
  const value = readValue(reader, field, wire)
  if (value === undefined || (field.omitsZero && value === SCALARS[field.type]?.zero)) return
  draft.values.set(field.name, value)
}

function readItem(reader: WireReader, { field, wire, draft }: Place): void {
  const list = draft.lists.get(field.name) ?? []
  draft.lists.set(field.name, list)
  const scalar = SCALARS[field.type]
  if (scalar?.wire !== WIRE.varint || wire !== WIRE.bytes) {
    list.push(readValue(reader, field, wire) ?? null)
    return
  }
  const packed = new WireReader(reader.bytes())
  while (!packed.done) list.push(scalar.read(packed))
}

/** An entry of a map is a message of its own: 1 is the key, 2 the value. */
function readEntry(reader: WireReader, { field, wire, draft }: Place): void {
  checkWire(wire, WIRE.bytes, field)
  const entry = new WireReader(reader.bytes())
  let key = ''
  let value = SCALARS[field.type]?.zero ?? decodeMessage(Buffer.alloc(0), field.type) ?? null
  while (!entry.done) {
    const tag = readTag(entry, field.name)
    if (tag.number === 1) key = String(readValue(entry, { name: field.name, type: 'string' }, tag.wire))
    else if (tag.number === 2) value = readValue(entry, field, tag.wire) ?? null
    else entry.skip(tag.wire)
  }
  const entries = draft.maps.get(field.name) ?? new Map<string, Json>()
  draft.maps.set(field.name, entries.set(key, value))
}

function readValue(reader: WireReader, field: Pick<Field, 'name' | 'type'>, wire: number): Json | undefined {
  const scalar = SCALARS[field.type]
  checkWire(wire, scalar?.wire ?? WIRE.bytes, field)
  return scalar ? scalar.read(reader) : decodeMessage(reader.bytes(), field.type)
}

function checkWire(wire: number, expected: number, { name }: Pick<Field, 'name'>): void {
  if (wire !== expected) throw new WireError(`proto: wrong wireType = ${wire} for field ${name}`)
}
