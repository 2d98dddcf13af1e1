import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PublicKey } from 'openpgp'
import { GitSyncError } from '../git-sync-error.ts'
import { type AllowedSigner, parseAllowedSigners, signersBeside } from './allowed-signers.ts'
import { mergeCopies, readPgpKeys } from './pgp-signature.ts'

/** Whose signatures count. */
export interface TrustedKeys {
  /** Changes with the files. */
  readonly id: string
  readonly signers: readonly AllowedSigner[]
  readonly pgp: readonly PublicKey[]
}

const PUBLIC = '-----BEGIN PGP PUBLIC KEY BLOCK-----'

/**
 * Reads one file, or all files of a folder, as a mounted Secret or ConfigMap is: armored OpenPGP keys, or allowed signers as SSH has them.
 * @throws {GitSyncError} `KeysUnreadable`
 */
export async function readTrustedKeys(path: string): Promise<TrustedKeys> {
  const files = await textsOf(path)
  const signers = files.flatMap(({ file, text }) => (text.includes(PUBLIC) ? [] : named(file, () => parseAllowedSigners(text))))
  const pgp = await Promise.all(
    files.filter(({ text }) => text.includes(PUBLIC)).map(({ file, text }) => pgpKeysIn(text).catch(unreadable(file))),
  )
  const id = createHash('sha256').update(JSON.stringify(files)).digest('hex')
  const keys = { id, signers, pgp: await mergeCopies(pgp.flat()) }
  if (keys.signers.length + keys.pgp.length === 0) return unreadable(path)(new Error('it holds no key'))
  return keys
}

async function pgpKeysIn(text: string): Promise<readonly PublicKey[]> {
  const line = signersBeside(text)
  if (line !== undefined)
    throw new Error(`line ${line}: it has an allowed signer beside OpenPGP keys; give each a file of its own`)
  return readPgpKeys(text)
}

async function textsOf(path: string): Promise<readonly { readonly file: string; readonly text: string }[]> {
  try {
    // Kubernetes keeps the versions of a mounted Secret in folders whose names begin with a dot.
    const isFolder = (await stat(path)).isDirectory()
    const names = isFolder ? (await readdir(path)).filter((name) => !name.startsWith('.')).sort() : undefined
    const files = names?.map((name) => join(path, name)) ?? [path]
    return await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })))
  } catch (error) {
    return unreadable(path)(error)
  }
}

function named<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return unreadable(file)(error)
  }
}

function unreadable(file: string): (cause: unknown) => never {
  return (cause) => {
    const failed = `failed to read trusted keys "${file}" of --commit-keys`
    const why = cause instanceof Error ? cause.message : String(cause)
    const text =
      cause instanceof Error && 'syscall' in cause && 'code' in cause
        ? `${failed}: ${cause.code}`
        : `${failed}: ${why}; expected armored OpenPGP public keys, or allowed signers of SSH`
    throw new GitSyncError(text, { reason: 'KeysUnreadable', cause })
  }
}
