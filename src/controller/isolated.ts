import { KubeError } from '../kube/kube-api.ts'

/**
 * Does `work` for each item, one after the other. What is refused to one of them does not keep the others from theirs.
 * @returns the items it was refused to, and why
 * @throws {KubeError} at once when the server is away: then no other item would fare better
 */
export async function isolated<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<ReadonlyMap<T, unknown>> {
  const refused = new Map<T, unknown>()
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (error instanceof KubeError && error.reaction === 'retry') throw error
      refused.set(item, error)
    }
  }
  return refused
}

/** @throws {Error} the one failure, or all of them as one, when there is any */
export function throwFirst(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, failures.map((error) => (error as Error).message).join('; '))
}
