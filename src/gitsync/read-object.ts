import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { readObject as readPacked } from 'isomorphic-git'
import { corruptPack } from './explain-failure.ts'
import { type GitObject, idOf, isObjectType, type ObjectType } from './git-object.ts'
import { checkedId } from './object-id.ts'
import type { ObjectStore } from './object-store.ts'

/** Characters of a type and a size. */
const MAX_HEADER = 32

/** An object that is what its id says. @throws {Errors.NotFoundError}, or {GitSyncError} `CorruptPack` */
export async function readObject(store: ObjectStore, id: string): Promise<GitObject> {
  const loose = await readFile(looseFile(store.gitdir, checkedId(id))).catch(unlessMissing)
  const object = loose ? parseLoose(loose) : await packed(store, id)
  if (object === undefined || idOf(object) !== id) throw corruptPack(`object "${id}" has another content`)
  return object
}

async function packed(store: ObjectStore, oid: string): Promise<GitObject> {
  const { type, object } = await readPacked({ ...store, oid, format: 'content' })
  return { type: type as ObjectType, content: Buffer.from(object as Uint8Array) }
}

/** @throws {GitSyncError} `CorruptPack` when it is of another type */
export async function readContent(store: ObjectStore, id: string, expected: ObjectType): Promise<Buffer> {
  const { type, content } = await readObject(store, id)
  if (type !== expected) throw corruptPack(`object "${id}" is a ${type}, not a ${expected}`)
  return content
}

export function looseFile(gitdir: string, id: string): string {
  return join(gitdir, 'objects', id.slice(0, 2), id.slice(2))
}

/** @returns undefined when it is not as Git writes it */
function parseLoose(file: Buffer): GitObject | undefined {
  const bytes = inflated(file)
  const end = bytes?.indexOf(0) ?? -1
  if (bytes === undefined || end === -1 || end > MAX_HEADER) return undefined
  const [type = ''] = bytes.toString('latin1', 0, end).split(' ')
  return isObjectType(type) ? { type, content: bytes.subarray(end + 1) } : undefined
}

function inflated(file: Buffer): Buffer | undefined {
  try {
    return inflateSync(file)
  } catch {
    return undefined
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
