import { digestOf } from '../protocol/digest.ts'
import { type PayloadKind, payloadName } from '../protocol/names.ts'
import type { RenderProblem } from './render-problem.ts'

/** A ConfigMap to be, of kind `secret` a Secret: immutable, and named by what is in it, so that nodes with equal content share one. */
export interface Payload {
  /** `<pool>-<kind>-<first 10 of the digest>` */
  readonly name: string
  readonly kind: PayloadKind
  readonly pool: string
  readonly data: Readonly<Record<string, string>>
  readonly digest: string
}

/** What a ConfigMap may hold, in bytes; some is left for its metadata. */
const MAX_BYTES = 1024 * 1024 - 8 * 1024

export function makePayload(pool: string, kind: PayloadKind, data: Payload['data']): Payload {
  const digest = digestOf(data)
  return { name: payloadName(pool, kind, digest), kind, pool, data, digest }
}

export function sizeProblems(payload: Payload | undefined): RenderProblem[] {
  const { pool, kind, data = {} } = payload ?? {}
  const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= MAX_BYTES) return []
  const remedy = kind !== 'kubelet' ? 'put smaller files onto hosts' : 'shorten flags and configuration'
  return [
    {
      message: `the ${kind} document of pool "${pool}" has ${bytes} bytes, and a ConfigMap holds ${MAX_BYTES}; ${remedy}`,
      where: [],
    },
  ]
}
