import { own } from '../../protocol/own.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { RunGateCheck } from './gate-check.ts'

type NodeConditionsCheck = Extract<GateCheck, { kind: 'nodeConditions' }>

const TOLD = 3

export interface NodeConditionsOptions {
  readonly nodes: Pick<ObjectCache<ClusterNode>, 'get'>
  /** Reads the nodes of a pool again. */
  readonly refresh: (pool: string) => Promise<unknown>
}

/** Looks at the nodes as the watch shows them, and at those that look well once more as they are. One that is not there any more holds nothing up. */
export function nodeConditions({ nodes, refresh }: NodeConditionsOptions): RunGateCheck<NodeConditionsCheck> {
  return async (check, { nodes: names, pool }) => {
    const look = (): string[] =>
      names.flatMap((name) => {
        const node = nodes.get(name)
        return node ? wrongWith(node, check) : []
      })
    let wrong = look()
    if (wrong.length === 0) {
      await refresh(pool)
      wrong = look()
    }
    if (wrong.length === 0) return { verdict: 'Passed', message: `${names.length} nodes are as required` }
    const more = wrong.length > TOLD ? `; and ${wrong.length - TOLD} more` : ''
    return { verdict: 'NotPassed', value: wrong.length, message: `${wrong.slice(0, TOLD).join('; ')}${more}` }
  }
}

/** A condition of status Unknown is neither: it was not reported for a while. */
function wrongWith({ name, conditions }: ClusterNode, { require, forbid }: NodeConditionsCheck): string[] {
  const statusOf = (type: string) => own(conditions, type)
  return [
    ...require.filter((type) => statusOf(type) !== 'True').map((type) => [type, statusOf(type) ?? 'not there', 'True']),
    ...forbid.filter((type) => (statusOf(type) ?? 'False') !== 'False').map((type) => [type, statusOf(type), 'False']),
  ].map(([type, found, wanted]) => `node "${name}": ${type} is ${found}, wanted ${wanted}`)
}
