import { corruptPack } from './explain-failure.ts'
import type { GitSyncError } from './git-sync-error.ts'

export type DeltaType = 6 | 7

export interface ObjectHeader {
  /** 1 commit, 2 tree, 3 blob, 4 tag, 6 and 7 deltas. */
  readonly type: number
  /** Bytes that it declares to unpack to. */
  readonly size: number
  /** Where its compressed content begins. */
  readonly end: number
  /** Of a delta: how many bytes before this object its base begins, or the id of its base. */
  readonly base?: number | string
}

const OFS_DELTA = 6
const REF_DELTA = 7
const ID = 20

/** Bytes of a number: more than 2^49 of anything is in no pack. */
const MAX_BYTES = 7

/** What stands before each object of a pack; undefined when it is not all there. @throws {GitSyncError} `CorruptPack` */
export function readObjectHeader(data: Buffer, start: number): ObjectHeader | undefined {
  const first = data[start]
  if (first === undefined) return undefined
  let at = start + 1
  let size = first & 15
  let more = (first & 128) !== 0
  for (let factor = 16; more; factor *= 128) {
    const byte = data[at++]
    if (byte === undefined) return undefined
    if (at - start > MAX_BYTES) throw endless()
    size += (byte & 127) * factor
    more = (byte & 128) !== 0
  }
  const type = (first >> 4) & 7
  const { end, base } = baseOf(data, type, at)
  if (end === undefined || end >= data.length) return undefined
  return { type, size, end, ...(base !== undefined && { base }) }
}

function baseOf(data: Buffer, type: number, at: number): { readonly end?: number; readonly base?: number | string } {
  if (type === OFS_DELTA) return readOffset(data, at)
  if (type !== REF_DELTA) return { end: at }
  return { end: at + ID, base: data.toString('hex', at, at + ID) }
}

/** Each further byte adds one to what stands before it: no distance can be written in two ways. */
function readOffset(data: Buffer, start: number): { readonly end?: number; readonly base?: number } {
  let offset = -1
  for (let at = start; at < data.length; at++) {
    if (at - start >= MAX_BYTES) throw endless()
    const byte = data[at] ?? 0
    offset = (offset + 1) * 128 + (byte & 127)
    if ((byte & 128) === 0) return { end: at + 1, base: offset }
  }
  return {}
}

/** A delta says of how long a base it is, and then how long its result is. */
export function deltaResultSize(delta: Buffer): number {
  return readSizes(delta).result
}

/** @returns also where its instructions begin */
export function readSizes(delta: Buffer): { readonly base: number; readonly result: number; readonly end: number } {
  let at = 0
  const number = (): number => {
    const start = at
    let value = 0
    for (let factor = 1; at < delta.length; factor *= 128) {
      if (at - start >= MAX_BYTES) throw endless()
      const byte = delta[at++] ?? 0
      value += (byte & 127) * factor
      if ((byte & 128) === 0) break
    }
    return value
  }
  const base = number()
  return { base, result: number(), end: at }
}

function endless(): GitSyncError {
  return corruptPack('a number in it has no end')
}
