import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { remembering } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

test('request is recorded and shown also where more nodes than the status shows require a reboot', () => {
  const names = Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}`)
  const requiring = (name: string) => aNode(name).on('new').booted('1').requiringReboot('1')
  const reboot = { whenRequired: 'Never', timeout: 10 * minute } as const
  const pool = aPool({ head: 'new', stable: 'new', disruption: 'none', maxUnavailable: 0, reboot })
  const before = pool.with(...names.map(requiring))
  const first = decide(before, noon)
  const asked = pool.with(...names.map((name) => (name === 'n59' ? requiring(name).toReboot('1') : requiring(name))))
  const second = decide({ ...asked, memory: remembering(before, first).memory }, noon + 1000)

  expect(second.status.controls?.map(({ action, nodes }) => [action, nodes])).toEqual([['Reboot', ['n59']]])
  expect(second.status.reboots?.find(({ node }) => node === 'n59')?.state).toBe('Waiting')
})
