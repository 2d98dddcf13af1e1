import type { Share } from './policy.ts'

/** A count of nodes; a percentage rounds down. */
export function resolveShare(share: Share, total: number): number {
  return 'count' in share ? share.count : Math.floor((share.percent * total) / 100)
}
