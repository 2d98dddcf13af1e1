import { expect, test } from 'vitest'
import type { CompiledPool } from '../../../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'

function aPool(fingerprint: string): CompiledPool {
  const policy = {} as CompiledPool['policy']
  return {
    name: 'workers',
    fingerprint,
    spec: {},
    policy,
    disruption: {},
    render: () => ({ kind: 'problem', message: 'not asked' }),
  }
}

test('renderer keeps its judge of disruptions from pass to pass, until a pool it rendered is gone', () => {
  const renderer = new PoolRenderer()
  const [old, fresh] = [aPool('1'), aPool('2')]
  renderer.renderOf(old)
  renderer.renderOf(fresh)
  const { judgeDisruption } = renderer
  renderer.retain([old, fresh])
  expect(renderer.judgeDisruption).toBe(judgeDisruption)
  renderer.retain([fresh])
  expect(renderer.judgeDisruption).not.toBe(judgeDisruption)
})
