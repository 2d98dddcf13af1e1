import { canonicalJson, type Json } from '../../protocol/digest.ts'
import { own } from '../../protocol/own.ts'

type Mapping = { readonly [key: string]: Json | undefined }

interface Versions {
  /** What the host had. */
  readonly before: Json | undefined
  /** What we wrote over it. */
  readonly ours: Json | undefined
  /** What stands there. */
  readonly now: Json | undefined
}

/** Pure: what the host would have without us. A field that still is as we wrote it is as it was before; any other is theirs. */
export function theirDocument({ before, ours, now }: Versions): Json | undefined {
  if (isSame(ours, now)) return before
  if (!isMapping(now) || !isMapping(ours)) return now
  const old: Mapping = isMapping(before) ? before : {}
  const keys = new Set([...Object.keys(old), ...Object.keys(now)])
  const fields = [...keys].map(
    (key) => [key, theirDocument({ before: own(old, key), ours: own(ours, key), now: own(now, key) })] as const,
  )
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
}
