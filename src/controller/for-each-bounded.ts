/** Does `work` for every item, at most `limit` at a time; once one of them throws, takes no further item, and rejects when all under way have ended. */
export async function forEachBounded<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]()
  let failed = false
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
