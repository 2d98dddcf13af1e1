import type { Window } from '../calendar/window.ts'
import type { Disruption } from '../protocol/desired-config.ts'
import type { Selector, Share } from './schema/common.ts'
import type { FleetSpec } from './schema/fleet.ts'
import type { GateSpec } from './schema/gate.ts'
import type { NodePoolSpec } from './schema/node-pool.ts'
import { windowOf } from './window-of.ts'

/** How a pool is rolled, with nothing left open. Durations are milliseconds. */
export interface RolloutSettings {
  readonly waves: readonly WaveSettings[]
  readonly maxUnavailable: Share
  readonly maxFailures: Share
  readonly onFailure: 'Rollback' | 'Halt'
  readonly allowDowngrade: boolean
  readonly applyTimeout: number
  readonly agentTimeout?: number | undefined
  readonly trial: number
  readonly drain: DrainSettings
  readonly proof: ProofSettings
  readonly disruption: DisruptionRules
  readonly reboot: RebootSettings
  readonly zones: 'Any' | 'OneAtATime'
  readonly cordoned: 'Skip' | 'Change'
  readonly windows: readonly Window[]
  readonly rollbackOutsideWindows: boolean
  readonly gates: readonly GateSettings[]
}

export interface WaveSettings {
  readonly name: string
  readonly nodes: Share | Selector
  readonly soak: number
  readonly manual: boolean
  readonly maxFailures?: Share | undefined
}

/** Of the last four, one. */
export type GateSettings = GateSpec & { readonly timeout: number; readonly interval: number }

/** How much changes disturb a node, where people know better; what is absent is as `render` knows it. */
export interface DisruptionRules {
  readonly minorVersion?: Disturbance
  readonly patchVersion?: Disturbance
  /** By field of KubeletConfiguration. */
  readonly fields?: Readonly<Record<string, Disturbance>>
}
type Disturbance = Exclude<Disruption, 'none'>

export interface DrainSettings {
  readonly mode: 'Auto' | 'Always' | 'Never'
  readonly timeout: number
  readonly onTimeout: 'Wait' | 'Proceed' | 'Skip'
  readonly deleteEmptyDirData: boolean
  readonly force: boolean
  readonly gracePeriodSeconds?: number | undefined
}

/** Machines that have to reboot. */
export interface RebootSettings {
  readonly whenRequired: 'Never' | 'InWindows'
  readonly timeout: number
}

/** The pod that proves a changed node. */
export interface ProofSettings {
  readonly mode: 'Auto' | 'Always' | 'Never'
  readonly image?: string | undefined
  readonly command?: readonly string[] | undefined
  readonly claim?: string | undefined
  readonly timeout: number
}

const MINUTE = 60_000

const DEFAULT_SOAK = 5 * MINUTE

const DEFAULTS: RolloutSettings = {
  waves: [{ name: 'all', nodes: { percent: 100 }, soak: 0, manual: false }],
  maxUnavailable: { count: 1 },
  maxFailures: { count: 0 },
  onFailure: 'Rollback',
  allowDowngrade: false,
  applyTimeout: 10 * MINUTE,
  trial: 2 * MINUTE,
  drain: { mode: 'Auto', timeout: 15 * MINUTE, onTimeout: 'Wait', deleteEmptyDirData: false, force: false },
  proof: { mode: 'Auto', timeout: 2 * MINUTE },
  disruption: {},
  reboot: { whenRequired: 'Never', timeout: 10 * MINUTE },
  zones: 'Any',
  cordoned: 'Skip',
  windows: [],
  rollbackOutsideWindows: true,
  gates: [],
}

const GATE_DEFAULTS = { timeout: 10 * MINUTE, interval: MINUTE / 2 }

export const DEFAULT_HISTORY_LIMIT = 10

/** The pool's own word wins over the Fleet's, field by field; lists are taken whole. */
export function rolloutSettings(fleet: FleetSpec, pool: NodePoolSpec): RolloutSettings {
  const stated = { ...fleet.rollout, ...pool.rollout }
  return {
    ...DEFAULTS,
    ...stated,
    waves: stated.waves?.map((wave, index, all) => ({ soak: defaultSoak(all, index), manual: false, ...wave })) ?? DEFAULTS.waves,
    gates: stated.gates?.map((gate) => ({ ...GATE_DEFAULTS, ...gate })) ?? DEFAULTS.gates,
    windows: stated.windows?.map(windowOf) ?? DEFAULTS.windows,
    drain: { ...DEFAULTS.drain, ...fleet.rollout?.drain, ...pool.rollout?.drain },
    proof: { ...DEFAULTS.proof, ...fleet.rollout?.proof?.pod, ...pool.rollout?.proof?.pod },
    reboot: { ...DEFAULTS.reboot, ...fleet.rollout?.reboot, ...pool.rollout?.reboot },
    disruption: disruptionRules(fleet.rollout?.disruption, pool.rollout?.disruption),
  }
}

/** Leaks, pressure and evictions show late. The last wave has no other after it; what is put behind waves that do not cover the pool is one. */
function defaultSoak(waves: readonly Pick<WaveSettings, 'nodes'>[], index: number): number {
  return index === waves.length - 1 && coverThePool(waves) ? 0 : DEFAULT_SOAK
}

/** Unless their percentages come to all of it, a last wave is put behind them. */
export function coverThePool(waves: readonly Pick<WaveSettings, 'nodes'>[]): boolean {
  return waves.reduce((sum, { nodes }) => sum + ('percent' in nodes ? nodes.percent : 0), 0) >= 100
}

function disruptionRules(fleet: DisruptionRules = {}, pool: DisruptionRules = {}): DisruptionRules {
  const fields = { ...fleet.fields, ...pool.fields }
  return { ...fleet, ...pool, ...(Object.keys(fields).length > 0 && { fields }) }
}
