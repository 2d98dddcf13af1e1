import type { ReportInvariant } from '../invariants.ts'

export const nothingGivenBack: ReportInvariant = {
  claim: 'no agent gives back a host that runs what was assigned, since nobody takes an assignment away',
  holds: (said, ran) => said.phase !== 'Reverted' || ran === undefined,
}
