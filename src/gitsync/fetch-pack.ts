import { Errors, type HttpClient } from 'isomorphic-git'
import { refusedByServer } from './explain-failure.ts'
import { checkedId } from './object-id.ts'
import { FLUSH, LENGTH, Packets, packet } from './packets.ts'

/** What the server leaves out: files, or files and folders. */
export type Filter = 'blob:none' | 'tree:0'

export interface AskedPack {
  /** Ids. */
  readonly wants: readonly string[]
  /** A commit that is here, with all that it needs. */
  readonly have?: string | undefined
  /** Commits that are here without their parents. */
  readonly shallow?: readonly string[]
  /** So many commits of each; absent: no commits, but what is wanted alone. */
  readonly depth?: number
  /** Only for a server that said that it filters. */
  readonly filter?: Filter | undefined
}

/** What the server says of the history that it sends. */
export interface SentHistory {
  /** Commits whose parents it leaves out. */
  readonly shallow: readonly string[]
  /** Commits whose parents it left out before. */
  readonly deepened: readonly string[]
}

const CAPABILITIES = 'side-band-64k ofs-delta no-progress agent=git/nodewave'
/** The band of a side-band packet that says why there is no more. */
const ERROR_BAND = 3

/**
 * Asks for objects by their ids, in the oldest version of the protocol: every server speaks it, and one request is all it takes.
 * Their pack goes into the sink of the client. @throws {GitSyncError} `RefusedByServer`, `CorruptPack`
 */
export async function fetchPack(client: HttpClient, url: string, asked: AskedPack): Promise<SentHistory> {
  const answer = await client.request({
    url: `${url}/git-upload-pack`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: single(requestOf(asked)),
  })
  const sent = { shallow: [] as string[], deepened: [] as string[] }
  const packets = new Packets()
  const isAnswer = answer.statusCode === 200
  for await (const chunk of answer.body ?? [])
    for (const each of isAnswer ? packets.push(Buffer.from(chunk)) : []) note(each.subarray(LENGTH), sent)
  if (!isAnswer) throw new Errors.HttpError(answer.statusCode, answer.statusMessage, '')
  return sent
}

export function requestOf({ wants, have, shallow = [], depth, filter }: AskedPack): Buffer {
  const abilities = filter ? `${CAPABILITIES} filter` : CAPABILITIES
  return Buffer.concat([
    ...wants.map((id, n) => packet(n === 0 ? `want ${id} ${abilities}\n` : `want ${id}\n`)),
    ...shallow.map((id) => packet(`shallow ${id}\n`)),
    ...(depth === undefined ? [] : [packet(`deepen ${depth}\n`)]),
    ...(filter ? [packet(`filter ${filter}\n`)] : []),
    FLUSH,
    ...(have ? [packet(`have ${have}\n`)] : []),
    packet('done\n'),
  ])
}

function note(content: Buffer, sent: { readonly shallow: string[]; readonly deepened: string[] }): void {
  if (content[0] === ERROR_BAND) throw refusedByServer(content.toString('utf8', 1))
  const [word, value = ''] = content.toString('latin1').trimEnd().split(' ', 2)
  if (word === 'ERR') throw refusedByServer(content.toString('utf8', LENGTH))
  if (word === 'shallow') sent.shallow.push(checkedId(value))
  if (word === 'unshallow') sent.deepened.push(checkedId(value))
}

async function* single(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body
}
