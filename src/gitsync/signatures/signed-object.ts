/** A commit or a tag, taken apart as Git signs it. */
export interface SignedObject {
  /** What the signature is of: everything else. */
  readonly payload: Buffer
  /** As it stands in the object, armored; absent: there is none. */
  readonly signature?: string
}

export interface SignedTag extends SignedObject {
  readonly name: string
  readonly commit: string
}

const SIGNATURE = 'gpgsig '
const BEGIN = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE)-----$/m

/** The form of a commit that Git writes: what several readers could read in several ways is not of that form. */
const COMMIT = /^tree [0-9a-f]{40}\n(?:parent [0-9a-f]{40}\n)*author [^\n]*\ncommitter [^\n]*\n/
const TAG = /^object ([0-9a-f]{40})\ntype commit\ntag ([^\n]+)\ntagger [^\n]*\n\n/
/** Stated twice, or behind what it belongs before: which one counts depends on the reader. */
const STRAY = /^(?:tree|parent|author|committer) /m

/** Bytes of the headers of a commit, or of a tag: what is searched for patterns. Real ones have a few thousand. */
const LONGEST = 256 * 1024

/** @returns undefined when it has not the form of a commit, or more than one signature */
export function splitCommit(object: Buffer): SignedObject | undefined {
  const end = object.indexOf('\n\n')
  if ((end === -1 ? object.length : end) > LONGEST) return undefined
  const headers = object.toString('latin1', 0, end === -1 ? object.length : end + 1)
  const [form] = COMMIT.exec(headers) ?? []
  if (form === undefined || headers.includes('\0') || STRAY.test(headers.slice(form.length))) return undefined
  const lines = foldedLines(headers)
  const [signature, ...more] = lines.filter((line) => line.startsWith('gpgsig'))
  if (more.length > 0 || signature?.startsWith(SIGNATURE) === false) return undefined
  const payload = Buffer.concat([
    Buffer.from(lines.filter((line) => line !== signature).join(''), 'latin1'),
    object.subarray(headers.length),
  ])
  return { payload, ...(signature && { signature: signature.slice(SIGNATURE.length).replaceAll('\n ', '\n') }) }
}

/** A tag carries its signature behind its message. @returns undefined when it has not the form of a tag of a commit */
export function splitTag(object: Buffer): SignedTag | undefined {
  if (object.length > LONGEST) return undefined
  const text = object.toString('latin1')
  const [, commit, tag] = TAG.exec(text) ?? []
  if (commit === undefined || tag === undefined) return undefined
  const name = Buffer.from(tag, 'latin1').toString('utf8')
  const at = text.search(BEGIN)
  return { name, commit, ...(at === -1 ? { payload: object } : { payload: object.subarray(0, at), signature: text.slice(at) }) }
}

/** Headers with the lines that continue them, each with its line break. */
function foldedLines(headers: string): readonly string[] {
  return headers.match(/[^\n]*\n(?: [^\n]*\n)*/g) ?? []
}
