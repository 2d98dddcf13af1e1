import { requirementsOf } from '../../protocol/node-selector.ts'
import { type Draft, errorAt } from '../draft.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { FlagValue } from '../schema/common.ts'

/** Labels of the Node that something else in the repository depends on, or sets as well. */
export function checkNodeObjects({ documents }: Draft): Problem[] {
  const pools = [...documents.NodePool.values()]
  return pools.flatMap((pool) =>
    Object.keys(pool.spec.node?.labels ?? {}).flatMap((label) => {
      const path = ['node', 'labels', label]
      const selecting = pools.find(({ spec }) => requirementsOf(spec.nodeSelector).some(({ key }) => key === label))
      if (selecting !== undefined) {
        const where = formatLocation(selecting.source.where(['nodeSelector', 'matchLabels']))
        const message = `label "${label}" selects the nodes of pool "${selecting.name}" (${where}): writing it would move nodes between pools`
        return [errorAt(pool, path, { reason: 'Conflict', message, remedy: 'use another label' })]
      }
      const sets = (pool.spec.kubelet?.flagSets ?? []).flatMap((name) => documents.FlagSet.get(name) ?? [])
      const flags = [pool.spec.kubelet?.flags, ...sets.map(({ spec }) => spec.flags)]
      if (!flags.some((some) => keysOf(some?.['node-labels']).includes(label))) return []
      const message = `label "${label}" is in the kubelet flag --node-labels as well`
      return [
        errorAt(pool, path, {
          reason: 'Conflict',
          message,
          remedy: 'remove it from the flag: the kubelet sets it only when it registers',
        }),
      ]
    }),
  )
}

function keysOf(value: FlagValue | undefined): string[] {
  if (value === undefined) return []
  if (typeof value === 'object' && !Array.isArray(value)) return Object.keys(value)
  return String(value)
    .split(',')
    .map((pair) => pair.split('=')[0] ?? '')
}
