import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

export const laterWaves: PoolInvariant = {
  claim: 'no wave after the canary opens for content that takes nodes down',
  holds({ metadata, status }, world) {
    const { wave, target } = (status ?? {}) as Partial<NodePoolStatus>
    const outcome = world.contentOf(metadata.name, target?.revision ?? '')?.outcome
    return (outcome !== 'crash' && outcome !== 'cuts') || wave === undefined || wave.index === 1
  },
}
