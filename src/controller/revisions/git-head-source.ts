import { followRepo } from '../../gitsync/follow-repo.ts'
import type { RefusalReason, RepoEvent } from '../../gitsync/repo-event.ts'
import type { RepoSource } from '../../gitsync/repo-source.ts'
import type { SignaturePolicy } from '../../gitsync/signatures/verify-head.ts'
import type { HeadEvent, HeadRefusal, HeadSource } from './head-source.ts'

export interface GitHeadOptions {
  /** Path of the fleet's folder in the repository; empty for all of it. */
  readonly folder: string
  /** Milliseconds. */
  readonly pollEvery: number
  /** Take heads that do not descend from the last accepted commit. */
  readonly allowForcePush: boolean
  /** Whose signature a commit needs; absent: nobody's. */
  readonly signatures?: SignaturePolicy | undefined
}

/** The branch of a Git repository as what the controller follows. */
export function gitHeadSource(source: RepoSource, { folder, pollEvery, allowForcePush, signatures }: GitHeadOptions): HeadSource {
  let pollNow = (): void => undefined
  return {
    look: () => pollNow(),
    async *follow({ signal, lastAccepted, acceptedNow }) {
      const mayRewrite = () => allowForcePush
      const asked = { folder, pollEvery, mayRewrite, lastAccepted, acceptedNow, signatures, signal }
      const follower = followRepo(source, asked)
      pollNow = follower.pollNow
      for await (const event of follower.events) yield headEvent(event)
    },
  }
}

export function headEvent(event: RepoEvent): HeadEvent {
  switch (event.type) {
    case 'snapshot':
      return { kind: 'head', snapshot: event.snapshot }
    case 'refused':
      return { kind: 'refused', commit: event.commit, reason: conditionOf(event.reason), message: event.message }
    case 'trouble':
      return { kind: 'trouble', message: event.error.message }
    case 'recovered':
      return { kind: 'mended' }
  }
}

function conditionOf(reason: RefusalReason): HeadRefusal {
  return reason === 'UntrustedCommit' ? reason : 'InvalidRepository'
}
