import type { Cached, ObjectCache } from './object-cache.ts'

/**
 * Reads objects as their watch would tell of them: what the list does not find is gone, though the watch has not told so yet.
 * @throws {KubeError} when they cannot be read
 */
export async function refreshNamed<T extends Cached>(
  objects: ObjectCache<T>,
  names: readonly string[],
  list: () => Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }>,
): Promise<void> {
  const { items, resourceVersion } = await list()
  await objects.catchUp(async () => items)
  const found = new Set(items.map(({ name }) => name))
  for (const name of names) if (!found.has(name)) objects.gone(name, resourceVersion)
}
