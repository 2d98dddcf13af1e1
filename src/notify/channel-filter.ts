/** What a channel wants to hear. */
export interface ChannelFilter {
  /** Names; `*` stands for anything. */
  readonly pools: readonly string[]
  /** Absent: all. */
  readonly reasons?: readonly string[] | undefined
}

interface Filtered {
  readonly pool: string
  readonly reason: string
}

export function wantedBy({ pools, reasons }: ChannelFilter): (notification: Filtered) => boolean {
  const patterns = pools.map((pattern) => pattern.split('*'))
  return ({ pool, reason }) =>
    (reasons === undefined || reasons.includes(reason)) && patterns.some((parts) => isMatch(pool, parts))
}

/** `gpu-*`, split at its stars. */
function isMatch(name: string, [first = '', ...rest]: readonly string[]): boolean {
  if (!name.startsWith(first)) return false
  const last = rest.pop()
  if (last === undefined) return name === first
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
