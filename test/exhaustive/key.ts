import type { Instant } from '../../src/rollout/model/instant.ts'
import { agesOf } from './ages.ts'
import { failuresOf, templateOf } from './memory-key.ts'
import { exactInstants, nodeKey, orderedInstants, requestInstants } from './node-key.ts'
import type { Scope } from './scope.ts'
import type { State } from './state.ts'

/**
 * The same text for states that differ only in when they are: instants are written as the distance to now, and distances
 * that are longer than every timeout are all the same.
 */
export function keyOf({ now, nodes, pools, head, controls }: State, scope: Scope): string {
  const around = {
    now,
    pools,
    reboots: [...scope.pools.values()].some(({ policy }) => policy.reboot !== undefined),
    sharesBudget: scope.fleet.maxUnavailable !== undefined,
  }
  const ages = agesOf(now, {
    exact: nodes.flatMap(exactInstants),
    ordered: nodes.flatMap((node) => orderedInstants(node, around)),
  })
  const age = (at: Instant): number => ages.get(at) ?? 0
  const named = [...nodes.flatMap(requestInstants), ...pools.flatMap(({ memory }) => templateOf(memory).instants)]
  const moments = agesOf(now, { exact: named, ordered: [] })
  const moment = (at: Instant): number => moments.get(at) ?? 0
  const ofNodes = nodes.map((node) => numberOf(nodeKey(node, { ...around, age, moment })))
  const ofPools = pools.map(({ controls, promoted, memory }) => {
    const { id, instants, began } = templateOf(memory)
    const failures = scope.fleet.maxFailures ? failuresOf(memory) : ''
    // What joins in the same moment has not done so since.
    return numberOf(`${id}:${Number(now > began)}${instants.map(moment).join()}${JSON.stringify(controls)}${promoted}${failures}`)
  })
  return `${head}${controls.paused ?? ''}|${ofNodes.join()}|${ofPools.join()}`
}

const numbers = new Map<string, number>()

/** Millions of states are made of some thousands of nodes and pools: a state is named by their numbers. */
function numberOf(part: string): number {
  const number = numbers.get(part) ?? numbers.size
  if (number === numbers.size) numbers.set(part, number)
  return number
}
