import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

export const ASKED = stamp(noon - minute)

export const IN_WINDOWS = { whenRequired: 'InWindows', timeout: 10 * minute } as const

export const NEVER = { ...IN_WINDOWS, whenRequired: 'Never' } as const

/** A node that runs what the pool has completed, with the boot `1`. */
export function done(name: string): NodeDraft {
  return aNode(name).on('new').booted('1')
}

/** Of a pool that has completed its commit. */
export function deciding(options: PoolOptions, ...nodes: NodeView[]) {
  return decide(aPool({ head: 'new', stable: 'new', disruption: 'none', reboot: NEVER, ...options }).with(...nodes), noon)
}

/** `cordon a`, `assign a reboot 1@…` */
export function deeds({ actions }: ReturnType<typeof decide>): string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'assign') return [`assign ${action.node} ${action.grant} ${action.reboot?.boot ?? 'none'}`]
    return action.kind === 'cordon' || action.kind === 'uncordon' || action.kind === 'clearReboot'
      ? [`${action.kind} ${action.node}`]
      : []
  })
}

export const CANARY = [aWave('canary', 1, { soak: 5 * minute }), aWave('rest', '100%')]
