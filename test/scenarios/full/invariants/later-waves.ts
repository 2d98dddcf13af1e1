import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { PoolInvariant } from '../invariants.ts'

/** Seconds. What withers is well for longer than a shorter soak. */
const LONG = 180

export const laterWaves: PoolInvariant = {
  claim: 'no wave after the canary opens for content that takes nodes down',
  holds({ metadata, status }, world) {
    const { wave, target } = (status ?? {}) as Partial<NodePoolStatus>
    const outcome = world.contentOf(metadata.name, target?.revision ?? '')?.outcome
    const pool = world.pools.find(({ name }) => name === metadata.name)
    const isShown = outcome === 'crash' || outcome === 'cuts' || (outcome === 'withers' && (pool?.soak ?? 0) >= LONG)
    return !isShown || wave === undefined || wave.index === 1
  },
}
