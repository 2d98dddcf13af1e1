import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

/** Of worlds in which nothing befalls nodes. */
export const goodIsKept: PoolInvariant = {
  claim: 'no content that works everywhere is rejected, whatever controllers hear, and their clocks say',
  holds({ metadata, status }, world) {
    const { rejected = [] } = (status ?? {}) as Partial<NodePoolStatus>
    return !world.sparesNodes || rejected.every(({ revision }) => world.contentOf(metadata.name, revision)?.outcome !== 'good')
  },
}
