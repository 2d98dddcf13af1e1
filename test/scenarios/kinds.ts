import type * as Fast from './fast/story.ts'
import type * as Full from './full/story.ts'
import type { Kind } from './tell-stories.ts'

/** So many events befall a fleet before its faults cease. */
const FAST_STEPS = 150

/** So many faults come before they cease. */
const FULL_STEPS = 25

/** The real decision; everything else is a small model. Thousands in half a minute. */
export const fast = ofFast('fast', ({ tellFast }) => tellFast)

/** The same with gates after the waves. */
export const gated = ofFast('gated', ({ tellGated }) => tellGated)

/** The same with gates that look at workloads, which contents, machines and people break. */
export const outages = ofFast('outages', ({ tellOutages }) => tellOutages)

/** The same with commits that change policies, dependencies, limits and gates. */
export const tunedOutages = ofFast('tuned-outages', ({ tellTunedOutages }) => tellTunedOutages)

/** The same as outages with tools that change statuses, annotations and ConfigMaps. */
export const meddledOutages = ofFast('meddled-outages', ({ tellMeddledOutages }) => tellMeddledOutages)

/** The same as gated with fixes that follow commits which break nodes. */
export const fixed = ofFast('fixed', ({ tellFixed }) => tellFixed)

/** The same with a pod that has to run on each changed node. */
export const proved = ofFast('proved', ({ tellProved }) => tellProved)

/** The same with commits that change the waves. */
export const edited = ofFast('edited', ({ tellEdited }) => tellEdited)

/** The same with commits that change policies, dependencies and limits. */
export const tuned = ofFast('tuned', ({ tellTuned }) => tellTuned)

/** The same with machines that operators have rebooted. */
export const rebooted = ofFast('rebooted', ({ tellRebooted }) => tellRebooted)

/** The same with pauses that stop drains. */
export const paused = ofFast('paused', ({ tellPaused }) => tellPaused)

/** The same with nodes that come under pressure. */
export const pressed = ofFast('pressed', ({ tellPressed }) => tellPressed)

/** The same with autoscalers that replace machines which failed. */
export const scaled = ofFast('scaled', ({ tellScaled }) => tellScaled)

/** The same with commits that are reverted, and come again. */
export const returned = ofFast('returned', ({ tellReturned }) => tellReturned)

/** The same with nodes whose labels change. */
export const relabelled = ofFast('relabelled', ({ tellRelabelled }) => tellRelabelled)

/** The same with commits that failed, and that operators retry. */
export const retried = ofFast('retried', ({ tellRetried }) => tellRetried)

/** The same with tools that change statuses, annotations and ConfigMaps. */
export const meddled = ofFast('meddled', ({ tellMeddled }) => tellMeddled)

/** The real controller and the real agents on simulated hosts. Some a second. */
export const full = ofFull('full', ({ tellFull }) => tellFull)

/** The same with commits that cut nodes off from the API server. */
export const cut = ofFull('cut', ({ tellCut }) => tellCut)

/** The same with watches, writes and answers that come late. */
export const late = ofFull('late', ({ tellLate }) => tellLate)

/** The same as full with an etcd that is restored from backups. */
export const restored = ofFull('restored', ({ tellRestored }) => tellRestored)

/** The same as full with controllers whose clocks differ. */
export const clocks = ofFull('clocks', ({ tellClocks }) => tellClocks)

/** The same as full with watches that are behind, while what is read again is not. */
export const behind = ofFull('behind', ({ tellBehind }) => tellBehind)

export const KINDS: readonly Kind[] = [
  fast,
  gated,
  outages,
  tunedOutages,
  meddledOutages,
  fixed,
  proved,
  edited,
  tuned,
  rebooted,
  paused,
  pressed,
  scaled,
  returned,
  relabelled,
  retried,
  meddled,
  full,
  cut,
  late,
  restored,
  clocks,
  behind,
]

/** Loaded with the first story: all of them together take as long to load as forty fast ones to tell. */
function ofFast(name: string, teller: (stories: typeof Fast) => Kind['tell']): Kind {
  return { name, steps: FAST_STEPS, tell: async (seed, steps) => teller(await import('./fast/story.ts'))(seed, steps) }
}

/** The same. */
function ofFull(name: string, teller: (stories: typeof Full) => Kind['tell']): Kind {
  return { name, steps: FULL_STEPS, tell: async (seed, steps) => teller(await import('./full/story.ts'))(seed, steps) }
}
