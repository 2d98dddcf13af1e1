import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { open, rename, unlink } from '../../kube/file-calls.ts'
import { http, https } from '../../kube/node-http.ts'
import type { Artifact } from '../../protocol/host-document.ts'
import type { Downloads } from '../ports.ts'
import { shownUrl } from '../shown-url.ts'
import { HostTree, type Place } from './host-tree.ts'
import { openRegular } from './open-regular.ts'
import { orMissing } from './or-missing.ts'
import { judgingLookup, redirectComplaint } from './redirect-target.ts'
import { sha256OfFile } from './sha256-of-file.ts'

const MAX_REDIRECTS = 5
/** Milliseconds without a byte. */
const STALL = 60_000
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
}

/** Downloads over HTTP(S) to the host. The checksum is checked before the file gets the name that others look for. */
export function httpDownloads(settings: DownloadSettings = {}): Downloads {
  const { tree = new HostTree(), deadline = DEADLINE, isNamed = async () => false } = settings
  return {
    fetch: async (artifact, to, { signal: stop, maxBytes, mode = 0o644 }) => {
      using target = tree.make(to)
      if ((await sha256OfFile(target.path)) === artifact.sha256) return await changeMode(target.path, mode)
      const late = AbortSignal.timeout(deadline)
      const signal = stop === undefined ? late : AbortSignal.any([stop, late])
      await download(artifact, target, { signal, maxBytes, mode, isNamed }).catch((cause: unknown) => {
        if (!late.aborted) throw cause
        throw new Error(`download "${shownUrl(artifact.url)}": not there after ${deadline / 1000} s`, { cause })
      })
    },
  }
}

interface DownloadOptions {
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly mode: number
  readonly isNamed: (hostname: string) => Promise<boolean>
}

async function download({ url, sha256 }: Artifact, target: Place, options: DownloadOptions): Promise<void> {
  const partial = target.beside(`${target.name}.part`)
  await orMissing(unlink(partial))
  try {
    const response = await follow(url, options)
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

async function follow(url: string, { signal, isNamed }: DownloadOptions): Promise<IncomingMessage> {
  let address = new URL(url)
  const used: string[] = []
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const isJudged = hop > 0 && !(await isNamed(address.hostname))
    const response = await request(address, {
      signal,
      judge: isJudged ? (found) => redirectComplaint(address.host, found, { used }) : undefined,
    })
    const { statusCode = 0, headers, socket } = response
    if (statusCode === 200) return response
    used.push(socket.remoteAddress ?? '')
    // What a redirect has to say besides is not read: it need not end.
    response.destroy()
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`download "${shownUrl(url)}": HTTP ${statusCode}`)
    const next = new URL(headers.location, address)
    if (address.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`download "${shownUrl(url)}": refuse the redirect from https to "${next.protocol}"`)
    address = next
  }
  throw new Error(`download "${shownUrl(url)}": more than ${MAX_REDIRECTS} redirects`)
}

interface RequestOptions {
  readonly signal: AbortSignal
  /** @returns why no connection to the address is made */
  readonly judge: ((address: string) => string | undefined) | undefined
}

function request(url: URL, { signal, judge }: RequestOptions): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? https.get : http.get
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => reject(new Error(`download "${shownUrl(url.href)}": ${cause.message}`, { cause }))
    // A name is judged where it is looked up; an address is none.
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    const complaint = /^[\d.]+$|:/.test(literal) ? judge?.(literal) : undefined
    if (complaint !== undefined) return failed(new Error(complaint))
    const lookup = judge && { lookup: judgingLookup(judge) }
    const sent = get(url, { timeout: STALL, agent: false, signal, ...lookup }, resolve)
    sent.on('timeout', () => sent.destroy(new Error(`no byte for ${STALL / 1000} s`)))
    sent.on('error', failed)
  })
}
