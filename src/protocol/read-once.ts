/** Texts remembered at a time: far more than a rollout has under way, and a few hundred kilobytes. */
const MOST = 1_000

/**
 * Reads each text once: nodes that are assigned together bear the same one, and then share what was read of it, too.
 * @param read pure; what it returns is not to be changed
 */
export function readOnce<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const fresh = read(text)
    if (known.size >= MOST) known.clear()
    known.set(text, fresh)
    return fresh
  }
}
