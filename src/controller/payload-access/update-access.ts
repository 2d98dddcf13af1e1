import type { Instant } from '../../rollout/model/instant.ts'
import { type AccessNeed, grantMissing } from './grant-missing.ts'
import type { PayloadAccess } from './payload-access.ts'
import type { Needs } from './unneeded-access.ts'

export interface AccessUpdate {
  readonly needs: readonly AccessNeed[]
  readonly isNeeded: Needs
  readonly now: Instant
}

/**
 * Gives nodes the rights that they lack, and takes away those that they do not need. Where the server refuses the first, it still does the
 * second.
 * @returns whether that was all
 */
export async function updateAccess(
  access: PayloadAccess,
  { needs, isNeeded, now }: AccessUpdate,
): Promise<{ readonly isDone: boolean }> {
  try {
    return await grantMissing(access, needs)
  } finally {
    await access.revokeUnneeded(isNeeded, now)
  }
}
