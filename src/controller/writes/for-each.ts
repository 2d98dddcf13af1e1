import { KubeError } from '../../kube/kube-api.ts'

/** So often in a row must the server be found away before the rest is left: one request alone may be what it has no answer to. */
const PATIENCE = 2

/**
 * Does `work` for each item, at most `atOnce` at a time. What fails for one of them, such as a node that a webhook fails for, does not keep
 * the others from theirs.
 * @returns the items it failed for, and why
 * @throws {KubeError} once the server is found away: then no other item would fare better; what was under way has ended
 */
export async function forEach<T>(
  items: Iterable<T>,
  { atOnce = 1 }: { readonly atOnce?: number },
  work: (item: T) => Promise<void>,
): Promise<ReadonlyMap<T, unknown>> {
  const queue = [...items].values()
  const failed = new Map<T, unknown>()
  let awayInARow = 0
  let away: KubeError | undefined
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      const error = await errorOf(() => work(item))
      if (error !== undefined) failed.set(item, error)
      awayInARow = isAway(error) ? awayInARow + 1 : 0
      if (awayInARow >= PATIENCE && isAway(error)) away = error
      if (away) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (away) throw away
  return failed
}

export interface Enough<T> {
  readonly atOnce: number
  /** For so many items it has to come about. */
  readonly enough: number
  /** Whether it has, where `work` has not failed. */
  readonly hasComeAbout?: (item: T) => boolean
}

/**
 * Does `work` until it has come about for enough items. What fails takes no place of the others, and is thrown when nothing else is left.
 * @returns whether that was all
 * @throws {Error} what failed, when that is all that is left
 */
export async function forEnough<T>(
  items: readonly T[],
  { atOnce, enough, hasComeAbout = () => true }: Enough<T>,
  work: (item: T) => Promise<void>,
): Promise<{ readonly isDone: boolean }> {
  const failures: unknown[] = []
  let done = 0
  for (let next = 0; next < items.length; next += enough) {
    if (done >= enough) return { isDone: false }
    const some = items.slice(next, next + enough)
    const failed = await forEach(some, { atOnce }, work)
    failures.push(...failed.values())
    done += some.filter((item) => !failed.has(item) && hasComeAbout(item)).length
  }
  throwFirst(failures)
  return { isDone: true }
}

async function errorOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error ?? new Error('failed without saying why')
  }
  return undefined
}

function isAway(error: unknown): error is KubeError {
  return error instanceof KubeError && error.isAway
}

/** A missing right may make a hundred of them. */
const TOLD = 3

/** @throws {Error} the one failure, or all of them as one, of which the message tells the first ones, when there is any */
export function throwFirst(failures: readonly unknown[]): void {
  if (failures.length === 0) return
  if (failures.length === 1) throw failures[0]
  const messages = failures.slice(0, TOLD).map((error) => (error as Error).message)
  const more = failures.length > TOLD ? [`and ${failures.length - TOLD} more`] : []
  throw new AggregateError(failures, [...messages, ...more].join('; '))
}
