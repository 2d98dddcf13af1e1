import type { RepoFile, RepoSnapshot } from '../../src/protocol/repo-snapshot.ts'

/** A commit with these texts; its id is `digit`, forty times. */
export function aSnapshot(digit: string, files: Readonly<Record<string, string>> = {}): RepoSnapshot {
  const entries = Object.entries(files).map(([path, text]): [string, RepoFile] => [
    path,
    { kind: 'file', bytes: Buffer.from(text) },
  ])
  return {
    commit: digit.repeat(40),
    author: { name: 'Ada', email: 'ada@example.com' },
    committedAt: Date.UTC(2026, 10, 21, 8),
    message: `change ${digit}\n\nwhy`,
    parents: [],
    files: new Map(entries),
  }
}
