import { selectsLabels } from '../../protocol/node-selector.ts'
import { wavesOf } from '../exposure/waves.ts'
import { allowedBy, type Ceiling, type CeilingRule, ceilingRemedy, selects } from '../model/ceiling.ts'
import type { NodeView } from '../model/node-view.ts'
import type { RolloutPolicy, Share, WavePolicy } from '../model/policy.ts'
import { resolveShare } from '../model/share.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'

/** Of a pool, also of one that is only planned. */
type Subject = Pick<PoolSnapshot, 'name' | 'places'> & {
  readonly policy: Pick<RolloutPolicy, 'waves' | 'maxUnavailable' | 'maxFailures'>
  readonly nodes: readonly Pick<NodeView, 'labels'>[]
}

/** Pure: the first limit that the rollout policy of a pool exceeds, with its place, the limit and what to do; undefined: none. */
export function policyViolation(pool: Subject, { rules, unreadable, remedy = EDIT }: Ceiling): string | undefined {
  if (unreadable !== undefined) return `the Ceiling "fleet" cannot be read: ${unreadable}; ${remedy}`
  for (const rule of rules) {
    if (!pool.nodes.some((node) => selects(rule, node))) continue
    const violation = unavailableViolation(pool, rule) ?? firstWaveViolation(pool, rule)
    if (violation !== undefined) return violation
  }
  return undefined
}

const EDIT = 'correct it: kubectl edit ceiling fleet'

/** As many nodes as it comes to: of a small pool, a greater percentage may be no more. One node is always allowed. */
function unavailableViolation(
  { policy, nodes, places, name }: Subject,
  { maxUnavailable, place }: CeilingRule,
): string | undefined {
  if (maxUnavailable === undefined) return undefined
  const asked = resolveShare(policy.maxUnavailable, nodes.length)
  if (asked <= allowedBy(maxUnavailable, nodes.length)) return undefined
  const where = `rollout.maxUnavailable of pool "${name}"${at(places?.maxUnavailable)}`
  const what = `${where} is ${text(policy.maxUnavailable)}, ${asked} of ${nodes.length} nodes; at most ${text(maxUnavailable)} is allowed`
  return `${what}; ${ceilingRemedy(`${place}.maxUnavailable`)}`
}

/** A wave without nodes opens the next one at once: it is none. */
function firstWaveViolation(pool: Subject, { firstWave, place }: CeilingRule): string | undefined {
  const { policy, nodes, places, name } = pool
  if (firstWave === undefined || nodes.length <= firstWave.nodes) return undefined
  const first = wavesOf(policy).find((wave) => sizeOf(wave, pool) > 0)
  const size = first === undefined ? nodes.length : sizeOf(first, pool)
  const soak = first?.soak ?? 0
  const where = `the first wave of pool "${name}"${at(places?.waves)}`
  const remedy = ceilingRemedy(`${place}.firstWave`)
  if (size > firstWave.nodes || soak < firstWave.soak) {
    const wanted = `at most ${firstWave.nodes} nodes and a soak of ${firstWave.soak / 1000}s are demanded`
    return `${where} has ${size} nodes and a soak of ${soak / 1000}s; ${wanted}; ${remedy}`
  }
  const borne = failuresBorne(first, size, pool)
  if (borne < size) return undefined
  return `${where} has ${size} nodes and tolerates ${borne} failed ones, so that it stops nothing; set maxFailures of the wave; ${remedy}`
}

/** How many nodes of a wave may fail and the rollout goes on. */
function failuresBorne(wave: WavePolicy | undefined, size: number, { policy, nodes }: Subject): number {
  const ofPool = resolveShare(policy.maxFailures, nodes.length)
  return wave?.maxFailures === undefined ? ofPool : Math.min(ofPool, resolveShare(wave.maxFailures, size))
}

function sizeOf({ nodes: wanted }: WavePolicy, { nodes }: Subject): number {
  if (!('matchLabels' in wanted)) return Math.min(resolveShare(wanted, nodes.length), nodes.length)
  return nodes.filter(({ labels }) => selectsLabels(wanted, labels)).length
}

function at(place: string | undefined): string {
  return place === undefined ? '' : ` (${place})`
}

function text(share: Share | RolloutPolicy['maxUnavailable']): string {
  return 'count' in share ? String(share.count) : `${share.percent}%`
}
