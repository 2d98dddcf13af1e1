import type { Invariant } from '../invariants.ts'

export const respectsRelease: Invariant = {
  claim: 'a node that a person uncordoned in the middle of its drain is not cordoned again for the same content',
  ofWorld: ({ takes, released }) => takes.every(({ node, digest, isCordon }) => !isCordon || released.get(node.name) !== digest),
}
