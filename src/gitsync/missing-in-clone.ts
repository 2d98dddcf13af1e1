import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Errors } from 'isomorphic-git'
import { GitSyncError } from './git-sync-error.ts'

const DEEPEN = 'the clone has only a part of the history: run git fetch --unshallow; nodewave plan --pr needs no history'

/** Files by which Git marks a clone that has not everything. */
const BY_FILE: readonly (readonly [string, string])[] = [
  ['shallow', DEEPEN],
  [
    'objects/info/alternates',
    'the clone borrows objects of another repository: run git repack -ad, and remove objects/info/alternates in its .git',
  ],
]

const BY_CONFIG: readonly (readonly [RegExp, string])[] = [
  [/^\s*objectformat\s*=\s*sha256\s*$/im, 'it has SHA-256 ids, which are not read; use a repository with SHA-1 ids'],
  [
    /^\s*refstorage\s*=\s*reftable\s*$/im,
    'its refs are in a reftable, which is not read: run git refs migrate --ref-format=files',
  ],
  [/^\s*promisor\s*=\s*true\s*$/im, 'the clone leaves out files until they are needed: run git fetch --refetch --no-filter'],
]

/** Why a repository on this machine may lack what it names, and what helps; undefined: nobody knows. */
export async function missingInClone(gitdir: string): Promise<string | undefined> {
  for (const [file, remedy] of BY_FILE) if (await isThere(join(gitdir, file))) return remedy
  const config = await readFile(join(gitdir, 'config'), 'utf8').catch(() => '')
  return BY_CONFIG.find(([pattern]) => pattern.test(config))?.[1]
}

/** What was read is not what Git wrote. @returns undefined when something else is wrong */
export function damageOf(gitdir: string, cause: unknown): GitSyncError | undefined {
  const isDamage = cause instanceof GitSyncError ? cause.reason === 'CorruptPack' : cause instanceof Errors.InternalError
  if (!isDamage) return undefined
  return new GitSyncError(`failed to read "${gitdir}": objects of it are damaged; run git fsck in it, or clone it again`, {
    reason: 'CorruptPack',
    cause,
  })
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
