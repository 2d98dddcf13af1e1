import { createHash } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { http, https } from '../../kube/node-http.ts'
import type { Artifact } from '../../protocol/host-document.ts'
import type { Downloads } from '../ports.ts'
import { sha256OfFile } from './sha256-of-file.ts'

const MAX_REDIRECTS = 5
/** Milliseconds without a byte. */
const STALL = 60_000
/** Milliseconds for all of it: at 512 MiB, the largest that is taken, 300 kB/s. Bytes that trickle in never stall. */
const DEADLINE = 30 * 60_000
const PIECE = 1024 * 1024

/** What arrived is not what the release says it should be. Nothing of it is kept. */
export class ChecksumError extends Error {
  override readonly name = 'ChecksumError'
}

/** Downloads over HTTP(S) to the host. The checksum is checked before the file gets the name that others look for. */
export function httpDownloads({ place = (path: string) => path, deadline = DEADLINE } = {}): Downloads {
  return {
    fetch: async (artifact, to, options) => {
      const target = place(to)
      if ((await sha256OfFile(target)) === artifact.sha256) return chmod(target, options.mode ?? 0o644)
      await mkdir(dirname(target), { recursive: true })
      const late = AbortSignal.timeout(deadline)
      const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late])
      await download(artifact, target, { ...options, signal }).catch((cause: unknown) => {
        if (!late.aborted) throw cause
        throw new Error(`download "${shown(artifact.url)}": not there after ${deadline / 1000} s`, { cause })
      })
    },
  }
}

async function download(artifact: Artifact, target: string, options: Parameters<Downloads['fetch']>[2]): Promise<void> {
  const partial = `${target}.part`
  try {
    const response = await follow(artifact.url, options.signal)
    const found = await receive(response, partial, options.maxBytes).catch((cause: Error) => {
      throw new Error(`download "${shown(artifact.url)}": ${cause.message}`, { cause })
    })
    if (found !== artifact.sha256)
      throw new ChecksumError(`download "${shown(artifact.url)}": sha256 is ${found}, expected ${artifact.sha256}`)
    // Not told to the disk: after a power cut what is here is read whole and judged again, and what it is installed as has its own fsync.
    await chmod(partial, options.mode ?? 0o644)
    await rename(partial, target)
  } finally {
    await rm(partial, { force: true })
  }
}

/** @returns hex digest of what came. */
async function receive(response: IncomingMessage, to: string, maxBytes: number): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(to, 'w', 0o600)
  let size = 0
  try {
    for await (const piece of inPieces(response)) {
      size += piece.length
      if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
      hash.update(piece)
      await handle.writeFile(piece)
    }
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
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

async function follow(url: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  let address = new URL(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await request(address, signal)
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return response
    // What a redirect has to say besides is not read: it need not end.
    response.destroy()
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`download "${shown(url)}": HTTP ${statusCode}`)
    const next = new URL(headers.location, address)
    if (address.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`download "${shown(url)}": refuse the redirect from https to "${next.protocol}"`)
    address = next
  }
  throw new Error(`download "${shown(url)}": more than ${MAX_REDIRECTS} redirects`)
}

function request(url: URL, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? https.get : http.get
  return new Promise((resolve, reject) => {
    const sent = get(url, { timeout: STALL, agent: false, ...(signal === undefined ? {} : { signal }) }, resolve)
    sent.on('timeout', () => sent.destroy(new Error(`download "${shown(url.href)}": no byte for ${STALL / 1000} s`)))
    sent.on('error', (cause) => reject(new Error(`download "${shown(url.href)}": ${cause.message}`, { cause })))
  })
}

/** Messages stand on the Node, where many may read them: no password, and no signature of a link, goes there. */
function shown(url: string): string {
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
