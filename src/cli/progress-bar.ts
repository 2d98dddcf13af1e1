import { formatDuration } from './format-time.ts'

/** Work of which one knows how much there is. */
export interface Measured {
  readonly done: number
  readonly total: number
  /** Milliseconds that it took so far. */
  readonly elapsed: number
}

const WIDTH = 20

/** A bar, and how long the rest will take when it goes on as it began. */
export function barText({ done, total, elapsed }: Measured): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(share * WIDTH)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done} of ${total}`
  return share === 0 || share === 1 ? bar : `${bar}, about ${formatDuration(Math.round((elapsed * (1 - share)) / share))} left`
}
