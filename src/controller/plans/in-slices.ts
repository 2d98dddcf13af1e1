import { setImmediate } from 'node:timers/promises'

/** Milliseconds. Passes, watches and requests wait no longer than that, and for the item that was begun last. */
const SLICE = 10

/** How a long computation shares its thread with other work. */
export interface Turns {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  /** Resolves when other work has had its turn. */
  readonly giveWay: () => Promise<unknown>
}

export const SYSTEM_TURNS: Turns = { elapsed: () => performance.now(), giveWay: () => setImmediate() }

/** Works through the items in order, and gives way to other work after each slice of time. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
  { elapsed, giveWay }: Turns,
): Promise<void> {
  let begun = elapsed()
  for (const item of items) {
    if (elapsed() - begun >= SLICE) {
      await giveWay()
      begun = elapsed()
    }
    work(item)
  }
}
