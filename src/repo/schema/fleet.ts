import * as z from 'zod'
import { document, share } from './common.ts'
import { rollout } from './rollout.ts'

const fleetSpec = z.strictObject({
  rollout: rollout.exactOptional().describe('Defaults for the rollout of every pool.'),
  maxUnavailable: share.exactOptional().describe('Cap over all pools: nodes of the fleet that may be unavailable at once.'),
  maxFailures: share
    .exactOptional()
    .describe('Nodes of the fleet that may fail at one commit, over all pools, before every pool stops; no limit unless stated.'),
  blastRadius: z
    .strictObject({ maxNodes: share.describe('A commit that touches more nodes than this is held until it is promoted.') })
    .exactOptional()
    .describe('Holds commits that would touch too much at once.'),
  drift: z
    .strictObject({
      policy: z.enum(['Repair', 'Report']).describe('Repair puts back what was changed on a host; Report only tells.'),
    })
    .exactOptional(),
  signing: z
    .strictObject({
      policy: z.enum(['Off', 'Warn', 'Require']).describe('What happens to a commit without a trusted signature.'),
    })
    .exactOptional(),
  historyLimit: z.int().min(2).max(100).exactOptional().describe('Accepted revisions kept in the cluster; 10 unless stated.'),
  commitStatus: z
    .strictObject({ context: z.string().min(1).max(100).describe('Name of the status on the commit; "nodewave" unless stated.') })
    .exactOptional(),
})

export const fleet = document('Fleet', fleetSpec).describe('The fleet as a whole. A repository has exactly one.')
export type FleetSpec = z.infer<typeof fleetSpec>
