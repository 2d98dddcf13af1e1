import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import type { AskGate, Decision } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { GatePolicy } from '../../../src/rollout/model/policy.ts'
import type { GateAnswer, PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { remembering } from '../builders/decisions.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aGate, aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

export const since = noon - 10 * minute

export const waves = [aWave('canary', 1), aWave('rest', '100%')]

export const apps = aGate('apps', { check: { kind: 'workloads' } })

/** The canary `a` is done, `b` and `c` are not. */
export function afterCanary(gates: readonly GatePolicy[], more: PoolOptions = {}): PoolSnapshot {
  const old = nodes('b', 'c').map((node) => node.on('older'))
  return aPool({ stable: 'older', since, waves, gates, ...more }).with(aNode('a').on('new', { at: noon - 5 * minute }), ...old)
}

export function asked({ actions }: Decision): AskGate[] {
  return actions.filter((action) => action.kind === 'askGate')
}

export function answer(verdict: GateAnswer['verdict'], at: Instant, more: Partial<GateAnswer> = {}): GateAnswer {
  const about = { gate: 'slo', wave: 'canary', revision: 'new', rollout: stamp(since), question: 'after' } as const
  const { check } = more.gate === 'apps' ? apps : aGate('slo')
  return { ...about, check: checkHash(check), at, verdict, message: verdict, ...more }
}

/** One pass after another; each writes its status. */
export function passing(pool: PoolSnapshot, steps: readonly { readonly at: Instant; readonly says?: GateAnswer }[]): Decision {
  let [current, decision] = [pool, decide(pool, noon)]
  for (const { at, says } of steps) {
    current = { ...remembering(current, decision), ...(says && { gateAnswers: [says] }) }
    decision = decide(current, at)
  }
  return decision
}
