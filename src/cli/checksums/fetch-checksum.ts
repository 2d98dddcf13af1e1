import { createHash } from 'node:crypto'
import { readBounded } from '../../protocol/read-bounded.ts'

/** Milliseconds for one file; a kubelet has 60 MB. */
const DEADLINE = 600_000
/** Bytes. */
const LONGEST_LINE = 4096

export interface FetchedChecksum {
  readonly sha256: string
  /** What answered, after redirects. */
  readonly from: string
}

/**
 * What the server has at a URL.
 * @param isBeside whether it says so itself, as `URL.sha256`; where it does not, the file is downloaded
 * @throws {Error} saying what the server answered
 */
export async function fetchChecksum(url: string, { isBeside }: { readonly isBeside: boolean }): Promise<FetchedChecksum> {
  if (isBeside) {
    const said = await asked(`${url}.sha256`)
    if (said.ok) return { sha256: await sumIn(said, `${url}.sha256`), from: said.url }
    await said.body?.cancel()
    if (said.status !== 404) throw new Error(refusal(`${url}.sha256`, said.status))
  }
  const answer = await asked(url)
  if (!answer.ok || !answer.body) throw new Error(refusal(url, answer.status))
  const hash = createHash('sha256')
  for await (const chunk of answer.body) hash.update(chunk)
  return { sha256: hash.digest('hex'), from: answer.url }
}

async function asked(url: string): Promise<Response> {
  if (!/^https?:\/\//.test(url))
    throw new Error(`failed to download "${url}": it is no https:// address; add its checksum by hand`)
  try {
    return await fetch(url, { signal: AbortSignal.timeout(DEADLINE) })
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    throw new Error(`failed to download "${url}": ${why}; check the network, or add its checksum by hand`, { cause })
  }
}

function refusal(url: string, status: number): string {
  return `failed to download "${url}": HTTP ${status}; check the version and the URL, or add the checksum by hand`
}

async function sumIn({ body }: Response, url: string): Promise<string> {
  const line = (await readBounded(body ?? [], LONGEST_LINE))?.toString() ?? ''
  const [sum] = /^[0-9a-f]{64}(?=\s|$)/.exec(line.trim()) ?? []
  if (sum === undefined) throw new Error(`"${url}" is no SHA-256 checksum`)
  return sum
}
