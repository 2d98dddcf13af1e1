import {
  STEPS,
  tellEdited,
  tellFast,
  tellFixed,
  tellGated,
  tellProved,
  tellRebooted,
  tellReturned,
  tellScaled,
} from './fast/story.ts'
import { STEPS as FULL_STEPS, tellCut, tellFull, tellLate, tellRestored } from './full/story.ts'
import type { Kind } from './tell-stories.ts'

/** The real decision; everything else is a small model. Thousands in half a minute. */
export const fast: Kind = { name: 'fast', steps: STEPS, tell: tellFast }

/** The same with gates after the waves. */
export const gated: Kind = { name: 'gated', steps: STEPS, tell: tellGated }

/** The same with gates, and with fixes that follow commits which break nodes. */
export const fixed: Kind = { name: 'fixed', steps: STEPS, tell: tellFixed }

/** The same with a pod that has to run on each changed node. */
export const proved: Kind = { name: 'proved', steps: STEPS, tell: tellProved }

/** The same with commits that change the waves. */
export const edited: Kind = { name: 'edited', steps: STEPS, tell: tellEdited }

/** The same with machines that operators have rebooted. */
export const rebooted: Kind = { name: 'rebooted', steps: STEPS, tell: tellRebooted }

/** The same with autoscalers that replace machines which failed. */
export const scaled: Kind = { name: 'scaled', steps: STEPS, tell: tellScaled }

/** The same with commits that are reverted, and come again. */
export const returned: Kind = { name: 'returned', steps: STEPS, tell: tellReturned }

/** The real controller and the real agents on simulated hosts. Some a second. */
export const full: Kind = { name: 'full', steps: FULL_STEPS, tell: tellFull }

/** The same with commits that cut nodes off from the API server. */
export const cut: Kind = { name: 'cut', steps: FULL_STEPS, tell: tellCut }

/** The same with watches, writes and answers that come late. */
export const late: Kind = { name: 'late', steps: FULL_STEPS, tell: tellLate }

/** The same as full with an etcd that is restored from backups. */
export const restored: Kind = { name: 'restored', steps: FULL_STEPS, tell: tellRestored }

export const KINDS: readonly Kind[] = [fast, gated, fixed, proved, edited, rebooted, scaled, returned, full, cut, late, restored]
