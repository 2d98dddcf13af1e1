import type { RepoFile, RepoSnapshot } from '../../protocol/repo-snapshot.ts'

type Files = RepoSnapshot['files']

export interface RevertedFile {
  readonly path: string
  /** In the newest commit. */
  readonly before?: Uint8Array
  readonly after?: Uint8Array
}

export interface RevertedFiles {
  readonly files: readonly RevertedFile[]
  /** Changed since, or no plain files: nobody but a person can say what is to become of them. */
  readonly conflicts: readonly string[]
}

/** Pure. Takes back in `head` what `failed` changed of `good`. */
export function revertedFiles({ good, failed, head }: Readonly<Record<'good' | 'failed' | 'head', Files>>): RevertedFiles {
  const files: RevertedFile[] = []
  const conflicts: string[] = []
  for (const path of [...new Set([...good.keys(), ...failed.keys()])].sort()) {
    const [was, became, is] = [good.get(path), failed.get(path), head.get(path)]
    if (isSame(was, became) || isSame(was, is)) continue
    const isPlain = [was, is].every((file) => file === undefined || file.kind === 'file')
    if (isPlain && isSame(became, is)) files.push({ path, ...of('before', is), ...of('after', was) })
    else conflicts.push(path)
  }
  return { files, conflicts }
}

/** Pure. The files of the newest commit as they would be. */
export function filesAfter(head: Files, { files }: RevertedFiles): Files {
  const all = new Map(head)
  for (const { path, after } of files) {
    if (after) all.set(path, { kind: 'file', bytes: after })
    else all.delete(path)
  }
  return all
}

function of(side: 'before' | 'after', file: RepoFile | undefined) {
  return file?.kind === 'file' ? { [side]: file.bytes } : {}
}

function isSame(a: RepoFile | undefined, b: RepoFile | undefined): boolean {
  if (a?.kind !== 'file' || b?.kind !== 'file') return JSON.stringify(a) === JSON.stringify(b)
  return Buffer.compare(a.bytes, b.bytes) === 0
}
