import type { Entry } from './entry.ts'

/** One write, as watches tell of it. The entry of a deletion is the last state, with the revision of the deletion. */
export interface StoredChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly entry: Entry
  readonly previous: Entry | undefined
}
