import { type SigningKey, signAssignment } from '../../protocol/assignment-signature.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'

/** Signs what nodes are assigned. */
export interface AssignmentSigner {
  readonly keyId: string
  /** @param node uid of the Node */
  sign(desired: DesiredConfig, node: string): DesiredConfig
}

export function assignmentSigner(by: SigningKey): AssignmentSigner {
  return { keyId: by.id, sign: (desired, node) => signAssignment(desired, { node, by }) }
}
