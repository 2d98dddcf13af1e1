import type { Exposure, NoContent } from '../model/exposure.ts'
import type { Rollout } from '../model/rollout.ts'
import { isSuperseded } from '../model/rollout.ts'
import { needsRepair } from './condition.ts'
import { isAtSuperseded, type NodeFacts } from './node-facts.ts'

export interface ExposureContext {
  readonly rollout: Rollout
  readonly waves: { readonly length: number }
  /** Waves up to this index are open: below 0 before the first one opens, the number of waves when all have passed. */
  readonly open: number
  /** Of this node; undefined: no wave counts it. */
  readonly wave: number | undefined
  readonly isLastResort: boolean
}

/** May this node get this content now? The one place that answers. */
export function exposureOf(facts: NodeFacts, context: ExposureContext): Exposure {
  const { rollout, waves, open, wave, isLastResort } = context
  const leftAlone = leftAloneBecause(facts)
  if (leftAlone) return none(leftAlone)
  if (rollout.state === 'Halted') return repairWhileHalted(facts, rollout) ?? none('Halted')
  if (facts.joins) return { content: 'stable', because: 'Joining' }
  if (facts.target.kind === 'config') {
    if (open >= waves.length) return { content: 'target', because: 'Completed' }
    if (wave !== undefined && wave <= open) return { content: 'target', because: 'OpenWave' }
  }
  const repair = repairOf(facts)
  if (repair) return repair
  if (!isLastResort) return none(waitsBecause(facts, open))
  return { content: 'target', because: isAtSuperseded(facts) ? 'Superseded' : 'LastResort' }
}

/** A newer commit that has to wait would else wait for ever for the budget that these nodes use up. */
function repairWhileHalted(facts: NodeFacts, rollout: Rollout): Exposure | undefined {
  return isSuperseded(rollout) ? repairOf(facts) : undefined
}

function leftAloneBecause({ node }: NodeFacts): NoContent | undefined {
  if (node.assignedByHand) return 'Unmanaged'
  if (node.hold !== undefined) return 'Held'
  return node.leaving ? 'Leaving' : undefined
}

function repairOf(facts: NodeFacts): Exposure | undefined {
  if (facts.stable?.kind !== 'config' || !needsRepair(facts)) return undefined
  return { content: 'stable', because: 'Repair' }
}

function waitsBecause({ target, condition }: NodeFacts, open: number): NoContent {
  if (target.kind === 'problem') return 'NotRendered'
  if (condition === 'InFlight') return 'InFlight'
  return open < 0 ? 'NoWaveOpen' : 'LaterWave'
}

function none(because: NoContent): Exposure {
  return { content: 'none', because }
}
