import type { Invariant } from '../invariants.ts'

/** By what contents really do: no pool that proves its nodes completes one on which no pod starts. */
export const proofsKept: Invariant = {
  claim: 'no pool that proves nodes by a pod completes a content on which no pod starts',
  ofWorld: ({ pools, rules, effects }) =>
    [...pools.values()].every(({ name, memory: { stable } }) => {
      const content = stable?.fingerprint.replace(/^of /, '') ?? ''
      return rules.pools.get(name)?.proof === undefined || effects.get(content) !== 'mute'
    }),
}
