import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { SettingsOnNode } from '../cache/settings-on-node.ts'
import type { CompiledFleet, NodeObject } from '../fleet/compiled-fleet.ts'
import type { PoolRenderer } from '../fleet/pool-renderer.ts'
import type { WriteLimit } from '../writes/write-limit.ts'
import type { RestoreSettings } from './restore-settings.ts'
import { type SettingsRepair, settingsRepair } from './settings-drift.ts'

/** In one pass and pool, as elsewhere: nothing waits for them. */
const AT_ONCE = 64

interface Sources {
  readonly nodes: readonly ClusterNode[]
  readonly revisions: ReadonlyMap<string, CompiledFleet>
  readonly renderer: PoolRenderer
  readonly now: Instant
  /** Absent: anything is allowed. */
  readonly ceiling?: Ceiling | undefined
  /** The server has not refused a moment ago to write the settings of this node. */
  readonly mayTry?: (node: string) => boolean
}

/** Finds Nodes whose settings others changed. */
export class SettingsWatch {
  /** The record counts repairs; this counts where somebody takes the record away each time. */
  readonly #limit: WriteLimit
  /** What needs no repair needs none later either, while both stay the same: every pass looks at all nodes. */
  #asWanted = new WeakMap<SettingsOnNode, NodeObject>()
  #ceiling: Ceiling | undefined

  constructor(limit: WriteLimit) {
    this.#limit = limit
  }

  due(pool: string, { nodes, now, ceiling, mayTry = () => true, ...sources }: Sources): RestoreSettings[] {
    this.#limit.forgetOld(now)
    this.#takeCeiling(ceiling)
    const due: RestoreSettings[] = []
    if (!hasSettings(pool, sources.revisions)) return due
    for (const node of nodes) {
      const wanted = due.length < AT_ONCE ? assignedSettings(node, pool, sources) : undefined
      if (!wanted) continue
      const repair = this.#repairOf(node, { wanted, now })
      if (repair && mayTry(node.name) && this.#limit.mayWrite(node.name))
        due.push({ kind: 'restore', node: node.name, pool, settings: wanted.settings, repair })
    }
    return due
  }

  #repairOf(
    { settings = {} }: ClusterNode,
    { wanted, now }: { readonly wanted: NodeObject; readonly now: Instant },
  ): SettingsRepair | undefined {
    if (this.#asWanted.get(settings) === wanted) return undefined
    const repair = settingsRepair(wanted.settings, { now: settings, drift: wanted.drift, at: now, ceiling: this.#ceiling })
    if (!repair) this.#asWanted.set(settings, wanted)
    return repair
  }

  /** Another one may allow what the last one did not. */
  #takeCeiling(ceiling: Ceiling | undefined): void {
    if (ceiling === this.#ceiling) return
    this.#ceiling = ceiling
    this.#asWanted = new WeakMap()
  }
}

/** Most pools set nothing on their Nodes: then none of thousands is looked at. */
function hasSettings(pool: string, revisions: Sources['revisions']): boolean {
  return [...revisions.values()].some(({ pools }) => pools.get(pool)?.nodeObject !== undefined)
}

/** By the commit that the node was assigned at; where that is forgotten, by one with the same content. */
function assignedSettings(
  node: ClusterNode,
  pool: string,
  { revisions, renderer }: Pick<Sources, 'revisions' | 'renderer'>,
): NodeObject | undefined {
  const { assigned, leaving } = node.view
  if (assigned?.pool !== pool || leaving) return undefined
  const fleet = revisions.get(assigned.revision)
  if (fleet) return fleet.pools.get(pool)?.nodeObject
  for (const { pools } of revisions.values()) {
    const compiled = pools.get(pool)
    if (!compiled?.nodeObject) continue
    const rendered = renderer.render(compiled, node)
    if (rendered.kind === 'config' && rendered.digest === assigned.digest) return compiled.nodeObject
  }
  return undefined
}
