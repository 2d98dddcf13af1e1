/** Side by side, but nothing is left running behind; of several complaints the first counts. */
export async function allEnded(works: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const ended of await Promise.allSettled(works)) if (ended.status === 'rejected') throw ended.reason
}
