/** @returns `did you mean "maxPods"?`, or undefined when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates)
  return near === undefined ? undefined : `did you mean "${near}"?`
}

/** @returns `did you mean "Europe/Berlin"?` for `Europe/Belrin`, and for the city alone. */
export function didYouMeanZone(text: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone')
  const ofCity = zones.find((zone) => zone.toLowerCase().endsWith(`/${text.toLowerCase()}`))
  return didYouMean(ofCity ?? text, zones)
}

/** The candidate with the least edits, if those are few for the length of the word. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < least) [best, least] = [candidate, edits]
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const costs = [at(above, column) + 1, at(current, column - 1) + 1, at(above, column - 1) + (same ? 0 : 1)]
      current.push(Math.min(...costs, swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY))
    }
    before = above
    above = current
  }
  return at(above, b.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
