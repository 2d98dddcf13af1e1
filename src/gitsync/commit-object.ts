import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { corruptPack } from './explain-failure.ts'
import { isObjectId } from './object-id.ts'
import type { ObjectStore } from './object-store.ts'
import { readContent } from './read-object.ts'

/** What a commit says of itself. */
export interface CommitObject extends Omit<RepoSnapshot, 'commit' | 'files'> {
  readonly tree: string
}

/** Characters; all of it but the first line of a message is for people who have the repository before them. */
const MAX_MESSAGE = 10_000
const MAX_NAME = 200

/**
 * Reads a commit as Git itself does: histories hold commits whose author line has no name, no date or no brackets, brought in from other
 * systems, and such a line is nothing to refuse a fleet for. Names and message come without control characters: they end up in
 * annotations, events and on terminals.
 * @throws {Errors.NotFoundError} when the object is not there, or {GitSyncError} `CorruptPack`
 */
export async function readCommitObject(store: ObjectStore, oid: string): Promise<CommitObject> {
  return parseCommit(await readContent(store, oid, 'commit'))
}

/** Lines behind the parents among which author, committer and encoding are looked for: Git writes them first. */
const MAX_LINES = 100

/** @throws {GitSyncError} `CorruptPack` */
export function parseCommit(bytes: Buffer): CommitObject {
  const end = bytes.indexOf('\n\n')
  const headers = bytes.subarray(0, end === -1 ? bytes.length : end)
  const { tree, parents, length } = originOf(headers)
  const lines = headers.toString('latin1', length).split('\n', MAX_LINES)
  const valuesOf = (name: string) => lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))
  const decode = decoderFor(valuesOf('encoding')[0])
  const author = signatureOf(decode(Buffer.from(valuesOf('author')[0] ?? '', 'latin1')))
  const message = end === -1 ? '' : decode(bytes.subarray(end + 2, end + 2 + MAX_MESSAGE))
  return {
    tree,
    parents,
    author: { name: author.name, email: author.email },
    committedAt: signatureOf(valuesOf('committer')[0] ?? '').seconds * 1000,
    message: printable(message),
  }
}

/**
 * What comes first in a commit. A line further down that names a parent is none to Git. There may be hundreds of thousands: who descends
 * from such a commit still has to be followed.
 */
function originOf(headers: Buffer): { readonly tree: string; readonly parents: readonly string[]; readonly length: number } {
  const tree = idLine(headers, 0, TREE)
  const parents: string[] = []
  let at = TREE.length + ID_LINE
  for (let parent = idLine(headers, at, PARENT); parent !== undefined; parent = idLine(headers, at, PARENT)) {
    parents.push(parent)
    at += PARENT.length + ID_LINE
  }
  if (tree !== undefined && !isAt(headers, at, PARENT)) return { tree, parents, length: at }
  throw corruptPack('a commit of it names its tree or its parents as Git does not')
}

const TREE = 'tree '
const PARENT = 'parent '
/** An id, and the end of its line. */
const ID_LINE = 41
const LINE_BREAK = 10

/** The id of a line that begins with a word. */
function idLine(headers: Buffer, at: number, word: string): string | undefined {
  const start = at + word.length
  const end = start + ID_LINE - 1
  if (!isAt(headers, at, word) || (end < headers.length && headers[end] !== LINE_BREAK)) return undefined
  const id = headers.toString('latin1', start, end)
  return isObjectId(id) ? id : undefined
}

function isAt(headers: Buffer, at: number, word: string): boolean {
  return headers.toString('latin1', at, at + word.length) === word
}

/** `Ada <ada@example.com> 1700000000 +0000`, of which any part may be missing. */
function signatureOf(line: string): { readonly name: string; readonly email: string; readonly seconds: number } {
  const opening = line.lastIndexOf('<')
  const closing = line.lastIndexOf('>')
  const [name, email] = opening === -1 ? [line, ''] : [line.slice(0, opening), line.slice(opening + 1, closing)]
  const [, seconds = '0'] = /^>? *(\d{1,11})(?: |$)/.exec(line.slice(Math.max(0, closing))) ?? []
  return { name: shortened(name), email: shortened(email), seconds: Number(seconds) }
}

function shortened(name: string): string {
  return printable(name.replaceAll('\n', ' ')).trim().slice(0, MAX_NAME).toWellFormed()
}

/** Without control characters but the line break, and without format characters, which turn text around or hide it. */
function printable(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '·')
}

/** UTF-8, unless the commit names another encoding that is known here. */
function decoderFor(encoding = 'utf-8'): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(isKnown(encoding) ? encoding : 'utf-8')
  return (bytes) => decoder.decode(bytes)
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding) !== undefined
  } catch {
    return false
  }
}
