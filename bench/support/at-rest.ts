import type { NodePoolView } from '../../src/controller/cache/node-pool-view.ts'
import type { ObjectCache } from '../../src/controller/cache/object-cache.ts'
import { systemClock } from '../../src/controller/clock/system-clock.ts'
import { ALL_COMPLETED } from '../../src/controller/other-clusters/other-clusters.ts'
import type { Sources } from '../../src/controller/snapshot/gather.ts'

const NO_ANSWERS: readonly never[] = []

/** A controller that writes nothing, has heard of no trouble, and has asked no gate. */
export function atRest(
  pools: ObjectCache<NodePoolView>,
): Pick<
  Sources,
  'ports' | 'contact' | 'assumed' | 'unkeptProofs' | 'failures' | 'journal' | 'gates' | 'rejections' | 'proofs' | 'otherClusters'
> {
  return {
    ports: { clock: systemClock },
    contact: { unbrokenSince: () => undefined, watchedSince: () => undefined, listedAt: () => undefined },
    assumed: { applyTo: (nodes) => nodes },
    unkeptProofs: { applyTo: (nodes) => nodes },
    failures: { refusals: () => NO_ANSWERS },
    journal: { viewOf: (pool) => pools.get(pool), confirmedOf: (pool) => pools.get(pool)?.status ?? {} },
    gates: { answersFor: () => NO_ANSWERS },
    otherClusters: ALL_COMPLETED,
    proofs: { podsOf: () => undefined },
    rejections: { of: () => [] },
  }
}
