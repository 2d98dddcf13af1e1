import { type Command, InvalidArgumentError, Option } from 'commander'
import { validRange } from 'semver'
import type { GitRef } from '../../gitsync/git-ref.ts'

/** What of the repository is followed; one of these at most. */
export interface RefOptions {
  readonly branch?: string
  readonly tag?: string
  readonly semver?: string
  readonly commit?: string
}

export function addRefOptions(command: Command): Command {
  const others = { branch: ['tag', 'semver', 'commit'], tag: ['semver', 'commit'], semver: ['commit'] }
  return command
    .addOption(
      new Option('--branch <name>', 'branch to follow. Default: main; for a path, the branch that is checked out').conflicts(
        others.branch,
      ),
    )
    .addOption(new Option('--tag <name>', 'tag to follow, instead of a branch').conflicts(others.tag))
    .addOption(
      new Option('--semver <range>', 'follow the tag with the highest version in this range, such as "~1.4", instead of a branch')
        .conflicts(others.semver)
        .argParser(parseRange),
    )
    .addOption(new Option('--commit <id>', 'full id of the commit to use, instead of a branch').argParser(parseCommit))
}

/** @returns undefined when nothing is said */
export function refOf({ branch, tag, semver, commit }: RefOptions): GitRef | undefined {
  if (tag !== undefined) return { tag }
  if (semver !== undefined) return { semver }
  if (commit !== undefined) return { commit }
  return branch === undefined ? undefined : { branch }
}

function parseRange(text: string): string {
  if (text.trim() !== '' && validRange(text) !== null) return text
  throw new InvalidArgumentError('expected a range of versions such as "~1.4", "1.x" or ">=1.4.0 <2"')
}

function parseCommit(text: string): string {
  if (/^[0-9a-f]{40}$/.test(text)) return text
  throw new InvalidArgumentError('expected the full id of a commit, 40 characters')
}
