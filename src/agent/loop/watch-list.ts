import { basename, dirname } from 'node:path/posix'

/** Directories, and the names in each that count. */
export type WatchList = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Pure: where to watch for changes of these paths. With each directory come those above it, since a directory that is replaced, removed or
 * made shows there and nowhere else.
 */
export function watchList(paths: readonly string[]): WatchList {
  const list = new Map<string, Set<string>>()
  for (const path of paths)
    for (let place = path; place !== '/'; place = dirname(place)) {
      const names = list.get(dirname(place)) ?? new Set()
      list.set(dirname(place), names.add(basename(place)))
    }
  return list
}

/** Of these, what is at this place or below. */
export function atOrBelow(place: string, paths: Iterable<string>): string[] {
  const start = place === '/' ? place : `${place}/`
  return [...paths].filter((path) => path === place || path.startsWith(start))
}
