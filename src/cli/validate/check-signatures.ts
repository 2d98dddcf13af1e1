import { resolve } from 'node:path'
import { Option } from 'commander'
import { FetchedHistory } from '../../gitsync/fetched-history.ts'
import { findCommit } from '../../gitsync/read-commit.ts'
import { untrusted } from '../../gitsync/refusal.ts'
import { readTrustedKeys } from '../../gitsync/signatures/trusted-keys.ts'
import { unverified } from '../../gitsync/signatures/verify-head.ts'
import type { CliIo } from '../cli-io.ts'

export function commitKeysOption(): Option {
  return new Option(
    '--commit-keys <path>',
    'file or folder of public keys (OpenPGP, or allowed signers of SSH) that the commit has to be signed with, as for the controller',
  )
}

export function checkedCommitsOption(): Option {
  return new Option(
    '--since <rev>',
    'commit after which all need a signature, as with --commit-signatures All. Default: only the commit itself',
  )
}

export interface SignatureCheck {
  readonly path: string
  readonly revision: string | undefined
  readonly commitKeys: string | undefined
  readonly since: string | undefined
}

/** What no trusted key signed is not looked into. @throws {Error} */
export async function checkSignatures(io: CliIo, { path, revision, commitKeys, since }: SignatureCheck): Promise<void> {
  if (commitKeys === undefined) {
    if (since !== undefined) throw new Error('--since needs --commit-keys: it says which commits they are needed for')
    return
  }
  const keys = await readTrustedKeys(resolve(io.cwd, commitKeys))
  const { gitdir, commit } = await findCommit(resolve(io.cwd, path), revision ?? 'HEAD')
  const from = since === undefined ? undefined : (await findCommit(resolve(io.cwd, path), since)).commit
  const mode = since === undefined ? 'Head' : 'All'
  const history = new FetchedHistory({ deepen: async () => undefined }, { gitdir, signal: new AbortController().signal })
  const why = await unverified({ head: commit, from, mode, keys, now: Date.now(), history })
  if (why !== undefined) throw new Error(untrusted(commit, why).message)
}
