import type { RepoFile } from '../../protocol/repo-snapshot.ts'
import type { Doc, FleetModel } from '../../repo/model.ts'
import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'
import { errorsOf, judgeFiles, placeOf } from '../read-fleet.ts'
import { unknownName } from '../unknown-name.ts'

/** A pool, of one of several clusters or of the only one. */
export interface NamedPool {
  readonly cluster?: string
  readonly pool: string
}

export interface CarriedVersion {
  readonly from: string | undefined
  readonly version: string
  /** Of the file that the version is written in: a pool, a patch or the variables of a cluster. */
  readonly path: string
  readonly before: Buffer
  readonly after: Buffer
}

type Files = ReadonlyMap<string, RepoFile>

/** `workers`, or `staging/workers`. */
export function readNamedPool(text: string): NamedPool {
  const [pool = '', cluster] = text.split('/').reverse()
  return { pool, ...(cluster !== undefined && { cluster }) }
}

export function textOf({ cluster, pool }: NamedPool): string {
  return cluster === undefined ? pool : `${cluster}/${pool}`
}

/** The version of one pool, written where that of the other is. @returns undefined when both have it. @throws {Error} */
export function carryVersion(
  files: Files,
  { from, to }: { readonly from: NamedPool; readonly to: NamedPool },
): CarriedVersion | undefined {
  const version = poolOf(files, from).spec.kubelet?.version
  if (version === undefined) throw new Error(`pool "${textOf(from)}" has no kubelet.version`)
  const target = poolOf(files, to)
  const old = target.spec.kubelet?.version
  if (old === version) return undefined
  if (old === undefined) throw new Error(`pool "${textOf(to)}" has no kubelet.version to replace`)
  const { file: path, line, column, text, width } = placeOf(target.source.where(['kubelet', 'version']))
  const found = text.slice(column - 1, column - 1 + width)
  if (found.replace(/^(["'])(.*)\1$/, '$2') !== old)
    throw new Error(`the version of pool "${textOf(to)}" is made of parts (${path}:${line}); write it as one variable`)
  const before = bytesOf(files, path)
  const after = Buffer.from(replaced(before.toString(), { line, column, width, by: `"${version}"` }))
  const changed = new Map(files).set(path, { kind: 'file', bytes: after })
  if (poolOf(changed, to).spec.kubelet?.version !== version)
    throw new Error(`another place than ${path}:${line} decides the version of pool "${textOf(to)}"`)
  return { from: old, version, path, before, after }
}

interface Replacement {
  readonly line: number
  readonly column: number
  readonly width: number
  readonly by: string
}

/** Everything else stays as it is, comments and ends of lines included. */
function replaced(text: string, { line, column, width, by }: Replacement): string {
  const lines = text.split('\n')
  const old = lines[line - 1] ?? ''
  return lines.with(line - 1, old.slice(0, column - 1) + by + old.slice(column - 1 + width)).join('\n')
}

function poolOf(files: Files, named: NamedPool): Doc<NodePoolSpec> {
  const pools = modelFor(files, named).pools
  const pool = pools.get(named.pool)
  if (pool === undefined) throw new Error(unknownName('pool', named.pool, [...pools.keys()]))
  return pool
}

function modelFor(files: Files, { cluster }: NamedPool): FleetModel {
  const judged = judgeFiles(files, { cluster })
  if (judged.model) return judged.model
  throw new Error(
    `the fleet is invalid${cluster === undefined ? '' : ` for cluster "${cluster}"`}:\n${errorsOf(judged).lines.join('\n\n')}`,
  )
}

function bytesOf(files: Files, path: string): Buffer {
  const file = files.get(path)
  if (file?.kind !== 'file') throw new Error(`failed to read "${path}"`)
  return Buffer.from(file.bytes)
}
