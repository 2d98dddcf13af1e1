import { readTrustedKey, type TrustedKey } from '../../protocol/assignment-signature.ts'
import { AgentError } from '../agent-error.ts'
import { TRUSTED_KEYS } from '../paths.ts'
import type { FileStat, HostFiles } from '../ports.ts'

/** Group and others. */
const WRITABLE_BY_OTHERS = 0o022
const MOST_KEYS = 16

/**
 * The keys that assignments of this host must be signed with. A folder without keys trusts nobody: losing a file must open nothing.
 * @returns undefined when the host has no such folder: then assignments need no signature
 * @throws {AgentError} of kind `sync`: somebody may mend it, and the same assignment is tried again
 */
export async function readTrustedKeys(files: HostFiles): Promise<readonly TrustedKey[] | undefined> {
  const folder = await files.stat(TRUSTED_KEYS).catch((cause: unknown) => {
    throw unreadable(TRUSTED_KEYS, (cause as Error).message, cause)
  })
  if (folder === undefined) return undefined
  if (!isOwned(folder, 'directory'))
    throw unreadable(TRUSTED_KEYS, 'it is no folder that only root may write; run: chown root: and chmod 755')
  const names = (await files.list(TRUSTED_KEYS)).filter((name) => name.endsWith('.pem'))
  if (names.length > MOST_KEYS) throw unreadable(TRUSTED_KEYS, `it has ${names.length} keys, and at most ${MOST_KEYS} are read`)
  return Promise.all(names.map((name) => readKey(files, `${TRUSTED_KEYS}/${name}`)))
}

async function readKey(files: HostFiles, path: string): Promise<TrustedKey> {
  const stat = await files.stat(path)
  if (!isOwned(stat, 'file'))
    throw unreadable(path, 'it is no plain file that only root may write; run: chown root: and chmod 644')
  try {
    return readTrustedKey(Buffer.from((await files.read(path)) ?? []).toString())
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause)
  }
}

function isOwned(stat: FileStat | undefined, type: FileStat['type']): boolean {
  return stat?.type === type && stat.uid === 0 && (stat.mode & WRITABLE_BY_OTHERS) === 0
}

function unreadable(path: string, why: string, cause?: unknown): AgentError {
  return new AgentError(`read trusted keys "${path}": ${why}`, { kind: 'sync', reason: 'TrustedKeysUnreadable', cause })
}
