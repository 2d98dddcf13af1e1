import type { Json, JsonObject } from '../json.ts'
import { arrayAt, textAt } from '../json.ts'
import { WireError } from './wire-reader.ts'

/** A type of Kubernetes that writes itself to JSON in a way of its own, which its Go type does not show. */
interface WellKnown {
  /** As in the generated fields. */
  readonly fields: { readonly [number: string]: string }
  /** @returns undefined for what JSON leaves out. @throws {WireError} */
  readonly toJson: (message: JsonObject) => Json | undefined
}

const TIMESTAMP = { 1: 'seconds int64', 2: 'nanos int32' }

/** By the name of their message; the numbers are those of generated.proto in k8s.io/apimachinery and k8s.io/api. */
export const WELL_KNOWN: { readonly [message: string]: WellKnown } = {
  'meta.v1.Time': { fields: TIMESTAMP, toJson: (time) => timeOf(time)?.replace(/\.\d+Z$/, 'Z') },
  'meta.v1.MicroTime': { fields: TIMESTAMP, toJson: timeOf },
  'meta.v1.FieldsV1': { fields: { 1: 'raw string' }, toJson: rawJson },
  'util.intstr.IntOrString': { fields: { 1: 'type int64', 2: 'number int32', 3: 'text string' }, toJson: intOrString },
  'api.resource.Quantity': { fields: { 1: 'text string' }, toJson: ({ text = '0' }) => text },
  'authentication.v1.ExtraValue': { fields: { 1: 'items []string' }, toJson: (value) => arrayAt(value, 'items') },
}

/** Those of years 0 to 9999, which JSON can write. */
const SECONDS = { first: Date.parse('0000-01-01T00:00:00Z') / 1000, last: Date.parse('9999-12-31T23:59:59Z') / 1000 }

/** With six digits after the point. An empty message is a time that is not set. */
function timeOf({ seconds, nanos = 0 }: JsonObject): string | undefined {
  if (seconds === undefined) return undefined
  const micros = Math.floor(Number(nanos) / 1000)
  const time = Number(seconds) + Math.floor(micros / 1e6)
  if (time < SECONDS.first || time > SECONDS.last) throw new WireError(`a time of ${time} s is not in the years 0 to 9999`)
  const fraction = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, '0')
  return new Date(time * 1000).toISOString().replace(/\.\d+Z$/, `.${fraction}Z`)
}

function intOrString({ type, number = 0, text = '' }: JsonObject): Json {
  return type === 1 ? text : number
}

function rawJson(fields: JsonObject): Json | undefined {
  const raw = textAt(fields, 'raw')
  if (raw === '') return undefined
  try {
    return JSON.parse(raw) as Json
  } catch (cause) {
    throw new WireError(`managed fields are no JSON: ${(cause as Error).message}`)
  }
}
