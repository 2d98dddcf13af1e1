import type { Random } from '../random.ts'

/** What happens to a controller in the middle of a pass, at its nth write. */
export interface Mishap {
  /** dies: before the write. error: the server refuses it. answer lost: it is done, and the controller does not know. */
  readonly kind: 'dies' | 'error' | 'answer lost'
  readonly atWrite: number
}

export function drawMishap(random: Random): Mishap | undefined {
  if (!random.chance(0.25)) return undefined
  return { kind: random.pick(['dies', 'error', 'answer lost']), atWrite: random.below(6) }
}
