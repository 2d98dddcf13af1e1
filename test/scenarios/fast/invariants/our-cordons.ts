import type { Invariant } from '../invariants.ts'

export const ourCordons: Invariant = {
  claim: "a person's cordon stays until a person takes it away",
  ofWorld: ({ nodes, cordonedByPeople }) =>
    [...nodes.values()].every(({ name, shown }) => !cordonedByPeople.has(name) || shown.unschedulable),
}
