import type { Assessment } from '../../rollout/decide.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import type { NodeChanges } from '../plans/node-changes.ts'
import type { PoolPlan, WaitingCommit } from '../plans/pool-plan.ts'

/** What is known of the fleet, as it is whenever it is looked at. */
export interface FleetSource {
  readonly nodes: { readonly items: ReadonlyMap<string, ClusterNode> }
  readonly pools: { readonly items: ReadonlyMap<string, NodePoolView> }
  /** Parts of accepted commits. */
  readonly revisions: { readonly items: ReadonlyMap<string, StoredConfigMap> }
}

/** What the controller that leads concludes about its pools, whenever it is looked at. */
export interface FleetConclusions {
  readonly assessments: () => readonly Assessment[]
  /** The newest commit, where a pool waits with it. */
  readonly waiting: (assessment: Assessment) => WaitingCommit | undefined
  /** What the commit that waits, or is under way, still changes in a pool. Undefined: there is none. */
  readonly plan: (pool: string) => Promise<PoolPlan | undefined>
  /** What is assigned to a node changes on it. Undefined: nothing is. */
  readonly nodeChanges: (node: string) => Promise<NodeChanges | undefined>
}

/** Sent: the channel has it. Refused: it will not take this one, and may take others. Failed: it takes nothing now. */
export const NOTIFICATION_RESULTS = ['sent', 'refused', 'failed'] as const
export type NotificationResult = (typeof NOTIFICATION_RESULTS)[number]

/** Milliseconds. */
export interface PassTimes {
  /** It worked for so long. */
  readonly took: number
  /** The oldest change that it took had waited for so long when it began; absent: nothing had changed, its time had come. */
  readonly waited?: number
}

/** What a controller tells of its own work, for those who watch it. Nothing depends on who listens. */
export interface Telemetry {
  /** What may be read from now on: the fleet as it is known. */
  readonly synced: (fleet: FleetSource) => void
  /** It leads from now on, and this is what it concludes; absent: it does not any more. */
  readonly leads: (conclusions?: FleetConclusions) => void
  /** A pass ended. */
  readonly passed: (times: PassTimes) => void
  readonly passFailed: () => void
  /** A write to a node, or an eviction, is sent: for how many milliseconds it was queued. */
  readonly writeSent: (waited: number) => void
  /** Whether the repository can be read, each time that it is learnt. */
  readonly gitReadable: (readable: boolean) => void
  /** There is a channel of notifications. @returns to be called with the result of each attempt to send one */
  readonly notifies: (channel: string) => (result: NotificationResult) => void
}

/** Tells all of them. @returns undefined for nobody */
export function telemetryOf(listeners: readonly (Telemetry | undefined)[]): Telemetry | undefined {
  const all = listeners.filter((listener) => listener !== undefined)
  if (all.length < 2) return all[0]
  return {
    synced: (fleet) => all.forEach(({ synced }) => void synced(fleet)),
    leads: (conclusions) => all.forEach(({ leads }) => void leads(conclusions)),
    passed: (times) => all.forEach(({ passed }) => void passed(times)),
    passFailed: () => all.forEach(({ passFailed }) => void passFailed()),
    writeSent: (waited) => all.forEach(({ writeSent }) => void writeSent(waited)),
    gitReadable: (readable) => all.forEach(({ gitReadable }) => void gitReadable(readable)),
    notifies: (channel) => {
      const counts = all.map(({ notifies }) => notifies(channel))
      return (result) => counts.forEach((count) => void count(result))
    },
  }
}
