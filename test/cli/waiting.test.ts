import { expect, test } from 'vitest'
import { waitingText } from '../../src/cli/controls/waiting.ts'
import type { PoolStatusView } from '../../src/cli/status/pool-view.ts'

function aPool(name: string, reason: 'Paused' | 'RollingOut', current = 0): PoolStatusView {
  const condition = { type: 'Ready', status: 'False', reason, message: '', lastTransitionTime: '' } as const
  return { name, status: { conditions: [condition], nodes: { current, total: 40, byPhase: {} } } }
}

const at = { elapsed: 60_000, timeout: 600_000 }

test('who waits for a pool sees its nodes, and how long the command still waits', () => {
  expect(waitingText([aPool('workers', 'RollingOut', 10)], at)).toBe(
    'waiting at most 9m; workers RollingOut [#####...............] 10 of 40, about 3m left',
  )
})

test('who waits for several pools sees how many are where', () => {
  const pools = [aPool('gpu', 'Paused'), aPool('workers', 'RollingOut'), aPool('edge', 'Paused')]
  expect(waitingText(pools, at)).toBe('waiting at most 9m; 3 pools: 2 Paused, 1 RollingOut')
})

test('who waits before anything is known sees the time', () => {
  expect(waitingText([], { elapsed: 601_000, timeout: 600_000 })).toBe('waiting at most 0s')
})
