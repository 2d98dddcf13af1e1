import * as z from 'zod'
import { DRIFT_KINDS, DRIFT_POLICIES, REPAIRS_PER_HOUR } from '../../protocol/drift-policy.ts'

/** What happens to what somebody changes on a host. */
export const drift = z.strictObject({
  policy: z
    .enum(DRIFT_POLICIES)
    .exactOptional()
    .describe(
      'Repair restores what was changed, within the budget of the pool where that disturbs the node; Report only shows it; Ignore does not look. Default: what disturbs nothing is repaired, the rest is reported.',
    ),
  kinds: z
    .partialRecord(z.enum(DRIFT_KINDS), z.enum(DRIFT_POLICIES))
    .exactOptional()
    .describe(`The same for one kind: ${DRIFT_KINDS.join(', ')}.`),
  repairsPerHour: z
    .int()
    .min(1)
    .max(60)
    .exactOptional()
    .describe(
      `What was repaired so often within an hour is changed by something else: it is shown as contested, and left alone until another commit. Default: ${REPAIRS_PER_HOUR}.`,
    ),
})
export type DriftSpec = z.infer<typeof drift>
