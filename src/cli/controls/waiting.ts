import type { CliIo } from '../cli-io.ts'
import { formatDuration } from '../format-time.ts'
import { printable } from '../printable.ts'
import { progressOn } from '../progress.ts'
import { barText } from '../progress-bar.ts'
import type { PoolStatusView } from '../status/pool-view.ts'

const A_SECOND = 1000

export interface Waiting extends Disposable {
  readonly tell: (pools: readonly PoolStatusView[]) => void
}

/** Shows how far pools are, and how long the command still waits, which moves on also when nothing happens. */
export function waitingOn(io: CliIo, timeout: number): Waiting {
  const progress = progressOn(io)
  const began = io.now()
  let known: readonly PoolStatusView[] = []
  const show = () => progress.tell(waitingText(known, { elapsed: io.now() - began, timeout }))
  const timer = setInterval(show, A_SECOND)
  return {
    tell(pools) {
      known = pools
      show()
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      progress.end()
    },
  }
}

/** One pool by its nodes; of several, how many are Ready. */
export function waitingText(
  pools: readonly PoolStatusView[],
  { elapsed, timeout }: { readonly elapsed: number; readonly timeout: number },
): string {
  const left = `waiting at most ${formatDuration(Math.max(0, timeout - elapsed))}`
  const [pool, ...others] = pools
  if (pool === undefined) return left
  if (others.length > 0) return `${left}; ${pools.length} pools: ${reasonsOf(pools)}`
  const { current = 0, total = 0 } = pool.status.nodes ?? {}
  return `${left}; ${printable(pool.name)} ${reasonsOf([pool])} ${barText({ done: current, total, elapsed })}`
}

function reasonsOf(pools: readonly PoolStatusView[]): string {
  const reasons = pools.map(({ status }) => status.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'unknown')
  const names = [...new Set(reasons)].sort()
  if (pools.length === 1) return names.join('')
  return names.map((name) => `${reasons.filter((reason) => reason === name).length} ${name}`).join(', ')
}
