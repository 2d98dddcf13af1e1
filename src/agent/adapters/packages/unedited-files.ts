import { createHash } from 'node:crypto'
import type { HostFiles } from '../../ports.ts'

/** A file as a package brought it. */
export interface PackagedFile {
  readonly path: string
  /** In hexadecimal, of whatever algorithm. */
  readonly digest: string
}

/** By the length of a digest. */
const ALGORITHMS: Readonly<Record<number, string>> = { 32: 'md5', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

/** Of these files, those that are as a package brought them. */
export async function uneditedFiles(
  paths: readonly string[],
  { files, packaged }: { readonly files: HostFiles; readonly packaged: readonly PackagedFile[] },
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const { path, digest } of packaged) {
    const bytes = paths.includes(path) ? await files.read(path) : undefined
    if (bytes !== undefined && digestLike(digest, bytes) === digest) found.add(path)
  }
  return [...found]
}

function digestLike(digest: string, bytes: Uint8Array): string | undefined {
  const algorithm = ALGORITHMS[digest.length]
  return algorithm && createHash(algorithm).update(bytes).digest('hex')
}
