import { AgentError, asAgentError } from '../agent-error.ts'
import type { FileStat, HostFiles } from '../ports.ts'

export interface ActualFile {
  readonly bytes: Uint8Array
  readonly stat: FileStat
}

/**
 * @returns undefined when nothing is there.
 * @throws {AgentError} when what is there is no regular file: replacing a link or a directory could not be undone by writing it back.
 */
export async function statRegular(files: HostFiles, path: string): Promise<FileStat | undefined> {
  const stat = await reading(files.stat(path))
  if (stat === undefined || stat.type === 'file') return stat
  throw new AgentError(`manage "${path}": it is a ${stat.type}, only regular files are managed; name the file itself`, {
    kind: 'validate',
    reason: 'NotARegularFile',
  })
}

export async function readRegular(files: HostFiles, path: string): Promise<ActualFile | undefined> {
  const stat = await statRegular(files, path)
  const bytes = stat && (await reading(files.read(path)))
  return stat && bytes && { bytes, stat }
}

/** One file that cannot be read is reported as such, and the others are watched all the same. @throws {AgentError} */
export async function reading<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'sync', reason: 'FileNotReadable' })
  })
}
