import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { RepoFile, RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { MAX_TREE_BYTES } from '../../protocol/repo-snapshot.ts'
import { type Compression, onThreads } from './compression.ts'
import { RevisionError } from './revision-error.ts'

/** Raw bytes a ConfigMap carries: 933 KiB as base64, which leaves the annotations their place below 1 MiB. */
const PART_BYTES = 700 * 1024
/** A whole tree as base64, and something for paths and message. A document that unpacks to more is not one of ours. */
const MAX_DOCUMENT_BYTES = Math.ceil((MAX_TREE_BYTES * 4) / 3) + 8 * 1024 * 1024

const storedFile = z.union([
  z.object({ kind: z.literal('file'), text: z.string(), blobId: z.string().exactOptional() }),
  z.object({ kind: z.literal('file'), base64: z.base64(), blobId: z.string().exactOptional() }),
  z.object({ kind: z.literal('symlink'), target: z.string() }),
  z.object({ kind: z.literal('tooLarge'), size: z.number() }),
  z.object({ kind: z.literal('submodule') }),
])
type StoredFile = z.infer<typeof storedFile>

const revisionDocument = z.object({
  commit: z.string().regex(/^[0-9a-f]{12,64}(?:\+[0-9a-f]{8})?$/),
  author: z.object({ name: z.string(), email: z.string() }),
  committedAt: z.number(),
  message: z.string(),
  parents: z.array(z.string()),
  files: z.array(z.tuple([z.string(), storedFile])),
})

export interface PackedRevision {
  readonly parts: readonly Buffer[]
  /** Of the parts put together. */
  readonly sha256: string
}

/** A snapshot as compressed bytes, cut into what fits a ConfigMap; at least one part. */
export async function packRevision(snapshot: RepoSnapshot, { gzip }: Compression = onThreads): Promise<PackedRevision> {
  const { commit, author, committedAt, message, parents } = snapshot
  const files = [...snapshot.files].map(([path, file]) => [path, storeFile(file)] as const)
  const bytes = await gzip(JSON.stringify({ commit, author, committedAt, message, parents, files }))
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES))
  return { parts, sha256: sha256(bytes) }
}

/**
 * @param packed all parts, in order
 * @throws {RevisionError} when it was damaged, is no document of ours, or unpacks to more than a tree may be.
 */
export async function unpackRevision(packed: PackedRevision, { gunzip }: Compression = onThreads): Promise<RepoSnapshot> {
  const bytes = Buffer.concat(packed.parts)
  if (sha256(bytes) !== packed.sha256) throw new RevisionError(`kept documents are damaged: sha256 is not "${packed.sha256}"`)
  try {
    const text = await gunzip(bytes, MAX_DOCUMENT_BYTES)
    const { files, ...rest } = revisionDocument.parse(JSON.parse(text.toString()))
    return { ...rest, files: new Map(files.map(([path, file]) => [path, readFile(file)])) }
  } catch (cause) {
    throw new RevisionError('kept documents are unreadable', { cause })
  }
}

function storeFile(file: RepoFile): StoredFile {
  if (file.kind !== 'file') return file
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  const text = bytes.toString()
  const blob = file.blobId === undefined ? {} : { blobId: file.blobId }
  return Buffer.from(text).equals(bytes)
    ? { kind: 'file', text, ...blob }
    : { kind: 'file', base64: bytes.toString('base64'), ...blob }
}

function readFile(file: StoredFile): RepoFile {
  if (file.kind !== 'file') return file
  const bytes = 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64')
  return { kind: 'file', bytes, ...(file.blobId !== undefined && { blobId: file.blobId }) }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
