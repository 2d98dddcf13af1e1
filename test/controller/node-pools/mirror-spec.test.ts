import { expect, test } from 'vitest'
import { mirrorSpec } from '../../../src/controller/node-pools/mirror-spec.ts'
import { nodePool } from '../../../src/repo/schema/node-pool.ts'

test('a spec is mirrored as people write it', () => {
  const written = {
    nodeSelector: { matchLabels: { role: 'worker' } },
    kubelet: { version: '1.36.3', flags: { v: 2, 'node-labels': { tier: 'gold' } }, config: ['base'] },
    rollout: {
      waves: [
        { name: 'canary', nodes: 1, soak: '1h30m' },
        { name: 'zone-a', nodes: { matchLabels: { zone: 'a' } } },
        { name: 'rest', nodes: '100%', soak: '0' },
      ],
      maxUnavailable: '10%',
      maxFailures: 0,
      applyTimeout: '2m5s',
      drain: { mode: 'Never', timeout: '500ms', gracePeriodSeconds: 30 },
    },
  }
  expect(mirrorSpec(nodePool.shape.spec.parse(written))).toEqual(written)
})
