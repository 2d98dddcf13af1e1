const SEPARATOR = '+'

/** A commit; with contents of Secrets of the cluster, `<commit>+<hash of them>`: other contents make another revision of the same commit. */
export function revisionId(commit: string, contents: string | undefined): string {
  return contents === undefined ? commit : `${commit}${SEPARATOR}${contents}`
}

/** What a text names: the commit, perhaps shortened, and the contents, if it names these. */
export function partsOf(revision: string): { readonly commit: string; readonly contents: string | undefined } {
  const end = revision.indexOf(SEPARATOR)
  if (end < 0) return { commit: revision, contents: undefined }
  const next = revision.indexOf(SEPARATOR, end + 1)
  return { commit: revision.slice(0, end), contents: revision.slice(end + 1, next < 0 ? undefined : next) }
}

export function commitOf(revision: string): string {
  return partsOf(revision).commit
}

/** As people name it: `3f2c9ab`, `3f2c9ab+1a2b3c4d`. */
export function shortRevision(revision: string, digits: number): string {
  const { commit, contents } = partsOf(revision)
  return revisionId(commit.slice(0, digits), contents)
}
