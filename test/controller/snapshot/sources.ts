import type { PoolSources } from '../../../src/controller/snapshot/pool-snapshots.ts'

/** The same array for as long as no gate has said anything new. */
const NO_ANSWERS: PoolSources['gateAnswers'] = []

/** Of a pool without nodes, of which nothing special is known; new lists each time, that read the same. */
export function nothingSpecial(): Omit<PoolSources, 'pool' | 'head'> {
  return {
    ...{ problem: undefined, unread: undefined, untrusted: undefined, held: undefined, view: undefined },
    ...{ nodes: [], pods: new Map(), proofs: undefined, contested: [], known: [], kept: [], refusals: [] },
    ...{ gateAnswers: NO_ANSWERS, awaitedClusters: [], steadySince: undefined, watchedSince: undefined, listedAt: undefined },
  }
}
