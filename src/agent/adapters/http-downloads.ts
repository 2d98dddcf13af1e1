import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { open, rename, unlink } from '../../kube/file-calls.ts'
import type { Artifact } from '../../protocol/host-document.ts'
import type { Environment } from '../../protocol/stated-proxy.ts'
import type { Downloads } from '../ports.ts'
import { shownUrl } from '../shown-url.ts'
import { type FollowOptions, followRedirects } from './follow-redirects.ts'
import { HostTree, type Place } from './host-tree.ts'
import { openRegular } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { sha256OfFile } from './sha256-of-file.ts'

/** Milliseconds for all of it: at 512 MiB, the largest that is taken, 300 kB/s. Bytes that trickle in never stall. */
const DEADLINE = 30 * 60_000
const PIECE = 1024 * 1024

/** The body has another checksum than the release. It is not kept, and the message has no hash of it: it may be a secret of the server. */
export class ChecksumError extends Error {
  override readonly name = 'ChecksumError'
}

export interface DownloadSettings {
  readonly tree?: HostTree
  /** Milliseconds. */
  readonly deadline?: number
  /** Whether the owner of this host lets redirects lead to it, whatever its address. */
  readonly isNamed?: (hostname: string) => Promise<boolean>
  /** Of the agent: what proxy it uses. Default: none. */
  readonly environment?: Environment
}

/** Downloads over HTTP(S) to the host. The checksum is checked before the file gets the name that others look for. */
export function httpDownloads(settings: DownloadSettings = {}): Downloads {
  const { tree = new HostTree(), deadline = DEADLINE, isNamed = async () => false, environment = {} } = settings
  return {
    fetch: async (artifact, to, { signal: stop, maxBytes, mode = 0o644 }) => {
      using target = tree.make(to)
      if ((await sha256OfFile(target.path)) === artifact.sha256) return await changeMode(target.path, mode)
      const late = AbortSignal.timeout(deadline)
      const signal = stop === undefined ? late : AbortSignal.any([stop, late])
      await download(artifact, target, { signal, maxBytes, mode, isNamed, environment }).catch((cause: unknown) => {
        if (!late.aborted) throw cause
        throw new Error(`download "${shownUrl(artifact.url)}": not there after ${deadline / 1000} s`, { cause })
      })
    },
  }
}

interface DownloadOptions extends FollowOptions {
  readonly maxBytes: number
  readonly mode: number
}

async function download({ url, sha256 }: Artifact, target: Place, options: DownloadOptions): Promise<void> {
  const partial = target.beside(`${target.name}.part`)
  await orMissing(unlink(partial))
  try {
    const response = await followRedirects(url, options)
    const found = await receive(response, partial, options.maxBytes).catch((cause: Error) => {
      throw new Error(`download "${shownUrl(url)}": ${cause.message}`, { cause })
    })
    if (found !== sha256) throw new ChecksumError(`download "${shownUrl(url)}": what came does not have the sha256 ${sha256}`)
    // Not flushed to the disk: after a power cut what is here is read whole and judged again, and what it is installed as has its own fsync.
    await changeMode(partial, options.mode)
    await rename(partial, target.path)
  } finally {
    await orMissing(unlink(partial))
  }
}

async function changeMode(path: string, mode: number): Promise<void> {
  await using handle = await openRegular(path)
  await handle.chmod(mode)
}

/** @returns hex digest of what came. */
async function receive(response: IncomingMessage, to: string, maxBytes: number): Promise<string> {
  const hash = createHash('sha256')
  await using handle = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  let size = 0
  for await (const piece of inPieces(response)) {
    size += piece.length
    if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
    hash.update(piece)
    await handle.writeFile(piece)
  }
  return hash.digest('hex')
}

/** What comes in 64 kB, in pieces of 1 MB: fewer writes, and one buffer for all of them, so that a piece counts only until the next. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(PIECE)
  let filled = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(buffer, filled, at)
      at += taken
      filled += taken
      if (filled < PIECE) continue
      yield buffer
      filled = 0
    }
  }
  yield buffer.subarray(0, filled)
}
