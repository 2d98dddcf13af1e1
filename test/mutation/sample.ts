import { dirname } from 'node:path'
import type { Random } from '../scenarios/random.ts'

/** By chance, of each folder as many as its share of all: a sample of a few must not miss a whole folder by bad luck. */
export function sampleByFolder<T extends { readonly path: string }>(
  all: readonly T[],
  size: number,
  random: Random,
): readonly T[] {
  const folders = Map.groupBy(all, ({ path }) => dirname(path))
  const spread = [...folders.values()].flatMap((items) =>
    random.shuffled(items).map((item, index) => ({ item, place: (index + random.next()) / items.length })),
  )
  return spread
    .sort((a, b) => a.place - b.place)
    .slice(0, size)
    .map(({ item }) => item)
}
