import type { Registry } from './resources/registry.ts'
import type { Snapshots } from './storage/snapshots.ts'
import type { Store } from './storage/store.ts'
import type { WatchHub } from './watch/watch-hub.ts'

/** What every request works on. */
export interface Core {
  readonly store: Store
  readonly registry: Registry
  readonly snapshots: Snapshots
  readonly watches: WatchHub
  /** Milliseconds since the epoch: creation stamps and ages come from here. */
  readonly now: () => number
}

/** RFC 3339 to the second, as metadata stamps are. */
export function stamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`
}
