import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'

/** A kubelet that is to let pods swap, on hosts on which nothing is swapped to. */
export function checkSwap({ documents }: Draft): Problem[] {
  const { NodePool, HostProfile, KubeletConfig } = documents
  return [...NodePool.values()].flatMap((pool) => {
    const off = (pool.spec.hostProfiles ?? []).find((name) => HostProfile.get(name)?.spec.swap === 'off')
    const config = (pool.spec.kubelet?.config ?? []).findLast(
      (name) => swapBehavior(KubeletConfig.get(name)?.spec.config) !== undefined,
    )
    if (off === undefined || config === undefined || swapBehavior(KubeletConfig.get(config)?.spec.config) !== 'LimitedSwap')
      return []
    const message = `HostProfile "${off}" has swap: off, and KubeletConfig "${config}" has memorySwap.swapBehavior: LimitedSwap`
    return [errorAt(pool, ['hostProfiles'], { reason: 'Conflict', message, remedy: 'take one of them out' })]
  })
}

function swapBehavior(config: Readonly<Record<string, unknown>> | undefined): unknown {
  const { memorySwap } = config ?? {}
  return typeof memorySwap === 'object' && memorySwap !== null
    ? (memorySwap as { swapBehavior?: unknown }).swapBehavior
    : undefined
}
