import type { RefusalReason } from './repo-event.ts'
import type { TrustedKeys } from './signatures/trusted-keys.ts'
import type { Unverified } from './signatures/verify-head.ts'

/** Why a head may not be used. */
export interface Said {
  readonly reason: RefusalReason
  readonly message: string
}

/** As long as it lasts, the head is not read a second time. */
export interface Refusal extends Said {
  /** Whether it would be refused again, with these keys. */
  isLasting(keys: TrustedKeys | undefined): boolean
}

export function rewritten(commit: string, from: string): Said {
  return {
    reason: 'Rewritten',
    message: `refuse commit "${commit}": it does not descend from "${from}", which was accepted last`,
  }
}

export function ancestryUnknown(commit: string, from: string): Said {
  return {
    reason: 'AncestryUnknown',
    message: `refuse commit "${commit}": "${from}", which was accepted last, is not within the history that can be read`,
  }
}

export function untrusted(commit: string, { why, remedy }: Unverified): Said {
  return { reason: 'UntrustedCommit', message: `refuse commit "${commit}": ${why}; ${remedy}` }
}
