import type { Ending, TransactionHead } from '../transaction/journal.ts'

/** Which of the three configurations a pointer names. */
export type Pointer = 'assigned' | 'active' | 'lastKnownGood'

/** Digests of the three configurations; undefined: the local configuration. */
export type Pointers = Readonly<Partial<Record<Pointer, string | undefined>>>

/** What an ended transaction changes of what the agent remembers of its host. */
export interface Change {
  /** In the order in which they are written. */
  readonly pointers: Pointers
  /** Whether an undo has failed; undefined: as before. */
  readonly isUnclean?: boolean
}

const NOTHING: Change = { pointers: {} }

/** Pure. */
export function changeBy(
  { digest, purpose }: Pick<TransactionHead, 'digest' | 'purpose'>,
  { kind }: Pick<Ending, 'kind'>,
): Change {
  // A repair that is half done leaves what is ours, and drift: both are known, and looked for again.
  if (purpose === 'repair') return NOTHING
  if (kind === 'broken') return { pointers: {}, isUnclean: true }
  if (kind !== 'kept') return NOTHING
  if (digest !== undefined) return { pointers: { active: digest }, isUnclean: false }
  const local = { active: undefined, lastKnownGood: undefined }
  return { pointers: purpose === 'apply' ? { ...local, assigned: undefined } : local, isUnclean: false }
}

/** Pure. @param active digest of the configuration that has held its trial */
export function afterTrial(active: string): Pointers {
  return { lastKnownGood: active }
}
