import * as z from 'zod'
import { document, share } from './common.ts'
import { drift } from './drift.ts'
import { rollout } from './rollout.ts'

const fleetSpec = z.strictObject({
  rollout: rollout.exactOptional().describe('Defaults for the rollout of every pool.'),
  maxUnavailable: share
    .exactOptional()
    .describe('Cap over all pools: nodes of the fleet that may be unavailable at once; at least 1.'),
  maxFailures: share
    .exactOptional()
    .describe('Nodes of the fleet that may fail at one commit, over all pools, before every pool stops. Default: no limit.'),
  blastRadius: z
    .strictObject({
      maxNodes: share
        .exactOptional()
        .describe('A commit that changes more nodes than this, or takes their pool from them, needs promotion.'),
      maxFilesDeleted: z
        .int()
        .min(0)
        .max(100_000)
        .exactOptional()
        .describe('A commit that deletes more files and units of hosts than this needs promotion.'),
    })
    .exactOptional()
    .describe(
      'Limits of one commit; a commit that exceeds them needs promotion. The limits of the accepted commit apply, not those of the new one.',
    ),
  byHand: z
    .enum(['Allow', 'Deny'])
    .exactOptional()
    .describe(
      'Whether everybody who may patch Nodes may assign them by hand; with Deny only the group nodewave:break-glass may. Default: Deny.',
    ),
  mapFlags: z
    .enum(['Merge', 'Replace'])
    .exactOptional()
    .describe(
      'Flags that are maps, such as node-labels, when several layers state them: Merge merges them by key, and null removes a key; with Replace the last layer replaces the others. Default: Replace.',
    ),
  drift: drift.exactOptional().describe('What happens to what others change on hosts; a pool may say otherwise.'),
  historyLimit: z.int().min(2).max(100).exactOptional().describe('Accepted revisions kept in the cluster. Default: 10.'),
})

export const fleet = document('Fleet', fleetSpec).describe('The fleet as a whole. A repository has exactly one.')
export type FleetSpec = z.infer<typeof fleetSpec>
