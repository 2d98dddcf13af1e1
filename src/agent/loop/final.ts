import type { Outcome } from '../state/state.ts'

/** Ends of the road: what came of an assignment stays so until somebody writes another. */
const FINAL = ['Applied', 'RolledBack', 'Failed', 'Reverted', 'Blocked']

export function isFinal({ phase }: Pick<Outcome, 'phase'>): boolean {
  return FINAL.includes(phase)
}

/** An assignment that is not under way: it ended, or what is under way is the way back from it. */
export function isSettled(outcome: Outcome): boolean {
  return isFinal(outcome) || outcome.was !== undefined
}
