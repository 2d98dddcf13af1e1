/** Texts remembered at a time: far more than a rollout has under way, and a few hundred kilobytes. */
const MOST = 1_000
/** Characters of all of them together: somebody who has a node's credential may write other long ones without end. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/**
 * Reads each text once: nodes that are assigned together bear the same one, and then share what was read of it, too.
 * @param read pure; what it returns is not to be changed
 */
export function readOnce<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const fresh = read(text)
    if (known.size >= MOST || characters + text.length > MOST_CHARACTERS) {
      known.clear()
      characters = 0
    }
    if (text.length > MOST_CHARACTERS) return fresh
    known.set(text, fresh)
    characters += text.length
    return fresh
  }
}
