import type { FleetPolicy } from '../../src/rollout/decide-fleet.ts'
import type { RolloutPolicy } from '../../src/rollout/model/policy.ts'
import type { FaultName } from './faults.ts'

/** What a content does to a node. crash: the agent restores the old content. ruin: restoring fails too, and the node goes down. */
export type Effect = 'good' | 'crash' | 'ruin'

export interface Content {
  readonly name: string
  readonly effect: Effect
  /** It counts only after a reboot. */
  readonly reboots?: true
}

/** A small fleet, and everything that may happen to it. All states that it can reach are visited. */
export interface Scope {
  readonly name: string
  readonly pools: ReadonlyMap<string, { readonly nodes: number; readonly policy: RolloutPolicy }>
  readonly fleet: FleetPolicy
  /** In the order in which they are pushed; every pool gets each. The first one has completed when the story begins. */
  readonly commits: readonly Content[]
  readonly faults: readonly FaultName[]
  /** How many faults at most come together. */
  readonly mostFaults: number
  /** Nodes of the fleet at most, with those that join. */
  readonly mostNodes: number
}

const MINUTE = 60_000

const BASE: RolloutPolicy = {
  waves: [],
  maxUnavailable: { count: 1 },
  maxFailures: { count: 0 },
  onFailure: 'Rollback',
  drain: { mode: 'Never', timeout: 15 * MINUTE, onTimeout: 'Wait', deleteEmptyDirData: false, force: false },
  zones: 'Any',
  cordoned: 'Skip',
  applyTimeout: 6 * MINUTE,
  agentTimeout: 4 * MINUTE,
  windows: [],
  rollbackOutsideWindows: true,
}

const canary = { name: 'canary', nodes: { count: 1 }, soak: 2 * MINUTE, manual: false } as const
const approved = { name: 'approved', nodes: { percent: 100 }, soak: 0, manual: true } as const

const first: Content = { name: 'first', effect: 'good' }
const good: Content = { name: 'good', effect: 'good' }
const crash: Content = { name: 'crash', effect: 'crash' }
const ruin: Content = { name: 'ruin', effect: 'ruin' }
const kernel: Content = { name: 'kernel', effect: 'good', reboots: true }
const deadKernel: Content = { name: 'dead kernel', effect: 'ruin', reboots: true }

const MACHINES = ['down', 'fails', 'silent', 'leaves', 'joins', 'moves'] as const
const OPERATORS = ['pause', 'hold', 'cordon', 'rollback', 'retry'] as const
const WRITES = ['restart', 'refused', 'answer lost'] as const
/** Beside these, a machine that reboots may go down, and so not come back, or come back without its agent. */
const REBOOTS = ['reboot asked', 'reboot refused', 'down', 'silent', 'fails', 'hold', 'retry', ...WRITES] as const
export const ALL_FAULTS: readonly FaultName[] = [...MACHINES, ...OPERATORS, ...WRITES]

export interface Size {
  readonly pools: number
  readonly nodes: number
  readonly faults: number
}

/** Fleets of this size, each with other rules. */
export function scopesOf({ pools, nodes, faults }: Size): readonly Scope[] {
  const fleetOf = (policy: Partial<RolloutPolicy>, second: Partial<RolloutPolicy> = {}): Scope['pools'] =>
    new Map(
      ['a', 'b'].slice(0, pools).map((name, index) => {
        const share = Math.floor(nodes / pools) + (index < nodes % pools ? 1 : 0)
        return [name, { nodes: share, policy: { ...BASE, ...policy, ...(index > 0 && second) } }] as const
      }),
    )
  const common = { fleet: {}, faults: ALL_FAULTS, mostFaults: faults, mostNodes: nodes }
  const automatic = { waves: [canary] }
  const single: Scope[] = [
    { ...common, name: 'canary, crash', pools: fleetOf({ waves: [canary] }), commits: [first, crash, first] },
    {
      ...common,
      name: 'canary, ruin, halt',
      pools: fleetOf({ waves: [canary], onFailure: 'Halt' }),
      commits: [first, ruin, first],
    },
    { ...common, name: 'manual', pools: fleetOf({ waves: [canary, approved] }, automatic), commits: [first, crash, good] },
    { ...common, name: 'promotion', pools: fleetOf({ waves: [canary, approved] }, automatic), commits: [first, good] },
    { ...common, name: 'manual first', pools: fleetOf({ waves: [approved] }, automatic), commits: [first, good, crash] },
    { ...common, name: 'good twice', pools: fleetOf({ waves: [canary] }), commits: [first, good, first] },
  ]
  // A machine has to go and another one to come before that may fail and be replaced: five faults, of three kinds.
  const replaced: Scope = {
    ...common,
    name: 'replaced machines',
    pools: fleetOf({ waves: [canary] }),
    commits: [first, good],
    faults: ['leaves', 'joins', 'fails'],
    mostFaults: faults + 4,
  }
  const reboots = {
    ...common,
    pools: fleetOf({ waves: [canary], reboot: { whenRequired: 'Never', timeout: MINUTE } }),
    faults: REBOOTS,
  }
  const rebooting: Scope[] = [
    { ...reboots, name: 'reboots', commits: [first, kernel, first] },
    { ...reboots, name: 'reboots, ruin', commits: [first, deadKernel, kernel] },
    { ...reboots, name: 'reboot asked', commits: [first], faults: ['reboot asked', 'reboot refused', 'down', 'answer lost'] },
  ]
  const several: Scope[] = [
    {
      ...common,
      name: 'fleet budget',
      pools: fleetOf({ waves: [canary] }),
      commits: [first, ruin, first],
      fleet: { maxUnavailable: { count: 1 } },
    },
    { ...common, name: 'depends', pools: fleetOf({ waves: [canary] }, { dependsOn: ['a'] }), commits: [first, crash, good] },
    {
      ...common,
      name: 'fleet stop',
      pools: fleetOf({ waves: [canary], maxFailures: { count: 1 } }),
      commits: [first, crash, first],
      // With a budget, one pool comes after the other: the second is stopped by what failed in the first.
      fleet: { maxFailures: { count: 0 }, maxUnavailable: { count: 1 } },
    },
  ]
  return pools > 1 ? [...single, ...several] : [...single, ...rebooting, replaced]
}
