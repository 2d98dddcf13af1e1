import type { Outcome } from '../state/state.ts'

/** Ends of the road: what came of an assignment stays so until somebody writes another. */
const FINAL = ['Applied', 'RolledBack', 'Failed', 'Reverted', 'Blocked']

export function isFinal({ phase }: Pick<Outcome, 'phase'>): boolean {
  return FINAL.includes(phase)
}
