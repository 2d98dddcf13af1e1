import type { Invariant } from '../invariants.ts'

/** A second time is the one more try that a node gets in a new run: on the way there, and on the way back. */
const MOST = 3

export const noFighting: Invariant = {
  claim: 'no node is given the same content again and again while neither Git nor people want anything else',
  ofWorld: ({ given }) => [...given.values()].every((times) => times <= MOST),
}
