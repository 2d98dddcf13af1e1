import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'

/** Only the kubeadm layout has two places for flags; said of another, the word would do nothing. */
export function checkFlagsFile({ documents }: Draft): Problem[] {
  return [...documents.NodePool.values()].flatMap((pool) => {
    const { flagsFile, layout = 'kubeadm' } = pool.spec.kubelet ?? {}
    if (flagsFile === undefined || layout === 'kubeadm') return []
    const message = `flagsFile "${flagsFile}" has no effect in layout "${layout}"`
    const remedy = 'remove it, or use layout: kubeadm'
    return [errorAt(pool, ['kubelet', 'flagsFile'], { reason: 'Conflict', message, remedy })]
  })
}
