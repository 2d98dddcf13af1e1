import type { Invariant } from '../invariants.ts'

export const releaseIsMeant: Invariant = {
  claim: 'a node is left out only of the content that it was being drained for when a person uncordoned it',
  ofWorld: ({ released, calledOff }) => [...released].every(([node, digest]) => calledOff.get(node) === digest),
}
