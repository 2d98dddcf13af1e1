import { type ChildProcess, spawn } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { AgentError } from '../agent-error.ts'

/** Decompressors of archives packed with `xz -9` take 65 MiB; the agent's own unit allows 512. */
const MEMORY = '128MiB'
const LONGEST_MESSAGE = 1000

/** Node has no xz: the program of the host has, where it is installed. */
export async function* decompressXz(source: AsyncIterable<Uint8Array>, program = 'xz'): AsyncGenerator<Uint8Array> {
  const child = spawn(program, ['--decompress', '--stdout', `--memlimit-decompress=${MEMORY}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
  })
  const ended = endOf(child)
  // It may end before it has read everything, and says so by its exit code.
  const fed = pipeline(source, child.stdin).catch(() => {})
  try {
    for await (const piece of child.stdout) yield piece as Uint8Array
    await ended
  } finally {
    child.kill('SIGKILL')
    await ended.catch(() => {})
    await fed
  }
}

function endOf(child: ChildProcess): Promise<void> {
  let message = ''
  child.stderr?.on('data', (piece: Buffer) => {
    message = (message + piece.toString()).slice(0, LONGEST_MESSAGE)
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(missing(cause)))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`xz: ${message.trim() || `exit ${code}`}`))))
  })
  // Whoever waits for it learns of it.
  ended.catch(() => {})
  return ended
}

function missing(cause: Error): AgentError {
  return new AgentError(
    `unpack an .xz archive: the program "xz" cannot be run (${cause.message}); install it (package xz-utils or xz), or pack the archive with gzip or zstd`,
    { kind: 'validate', reason: 'ArchiveRefused', cause },
  )
}
