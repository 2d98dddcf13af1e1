import { nextCounter, type SigningKey, signAssignment } from '../../protocol/assignment-signature.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'

/** Signs what nodes are assigned. */
export interface AssignmentSigner {
  readonly keyId: string
  /** @param previous COUNTER of what the Node is assigned now; @param now milliseconds since the epoch */
  sign(
    desired: DesiredConfig,
    node: { readonly uid: string; readonly previous: number | undefined; readonly now: number },
  ): DesiredConfig
}

export function assignmentSigner(by: SigningKey): AssignmentSigner {
  return {
    keyId: by.id,
    sign: (desired, { uid, previous, now }) =>
      signAssignment({ ...desired, COUNTER: nextCounter(previous, now) }, { node: uid, by }),
  }
}
