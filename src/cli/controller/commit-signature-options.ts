import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { readTrustedKeys } from '../../gitsync/signatures/trusted-keys.ts'
import { SIGNATURE_MODES, type SignatureMode, type SignaturePolicy } from '../../gitsync/signatures/verify-head.ts'

/** Whose signature a commit needs before it is used. Not in the repository: who may push could change it there. */
export interface CommitSignatureOptions {
  readonly commitKeys?: string
  readonly commitSignatures?: SignatureMode
  readonly cwd: string
}

export function addCommitSignatureOptions(command: Command): Command {
  return command
    .option(
      '--commit-keys <path>',
      'file or folder of public keys (OpenPGP, or allowed signers of SSH); a commit that none of them signed is refused',
    )
    .addOption(
      new Option(
        '--commit-signatures <mode>',
        'commits that need a signature: the head, or all since the last accepted. Default: Head',
      ).choices(SIGNATURE_MODES),
    )
}

/** Keys that cannot be read stop new commits only: a controller that did not start would roll nothing back. @throws {Error} */
export function signaturesOf(options: CommitSignatureOptions): SignaturePolicy | undefined {
  const { commitKeys, commitSignatures, cwd } = options
  if (commitKeys === undefined) {
    if (commitSignatures !== undefined) throw new Error('--commit-signatures needs --commit-keys: whose signatures count?')
    return undefined
  }
  const keys = () => readTrustedKeys(resolve(cwd, commitKeys))
  return { mode: commitSignatures ?? 'Head', keys, now: Date.now }
}
