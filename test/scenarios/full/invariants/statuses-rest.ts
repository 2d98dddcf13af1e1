import type { PoolInvariant } from '../invariants.ts'

/** A run that begins, ends or opens waves, controls and gates: all of it in less. */
const MOST = 20

export const statusesRest: PoolInvariant = {
  claim: 'the status of a pool is not written again and again while no node changes, and nothing is pushed',
  holds({ metadata: { name } }, world) {
    const written = (world.statusWrites.get(name) ?? 0) + 1
    world.statusWrites.set(name, written)
    return written <= MOST
  },
}
