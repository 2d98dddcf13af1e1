import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { condition } from '../builders/decisions.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'

const waves = [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')]
const rolling = aPool({ head: 'new', stable: 'old', since: noon - 10 * minute, waves })
const others = nodes('b', 'c').map((node) => node.on('old'))
const canary = aNode('a').on('new', { at: noon - 5 * minute })
const message = (pool: Parameters<typeof decide>[0]) => condition(decide(pool, noon), 'Reconciling').message

test('a pool whose canary is not Ready in its soak says until when it waits for it', () => {
  expect(message(rolling.with(canary.notReady(noon - 20_000), ...others))).toBe(
    '0 of 3 nodes are at new; 1 Unreachable; wave 1 of 2, "canary"; "a" is not Ready: waits until 2026-11-21T12:00:40.000Z',
  )
})

test('a pool says that nodes were listed again when that alone has it wait for one that is not Ready', () => {
  const listed = { ...rolling.with(canary.notReady(noon - 3 * minute), ...others), listedAt: noon - minute }

  expect(message(listed)).toBe(
    '0 of 3 nodes are at new; 1 Unreachable; wave 1 of 2, "canary"; "a" is not Ready: waits until 2026-11-21T12:07:00.000Z, ' +
      'since all nodes were listed again at 2026-11-21T11:59:00.000Z, and statuses may be old',
  )
})

test('a pool names no end of its wait for a node that is not Ready while that end moves on with the time', () => {
  const pool = rolling.with(canary.notReady(noon - 20_000), ...others)

  expect(message({ ...pool, steadySince: noon })).toBe('0 of 3 nodes are at new; 1 Unreachable; wave 1 of 2, "canary"')
  expect(message(rolling.with(canary.notReady(noon + 5000), ...others))).toBe(
    '0 of 3 nodes are at new; 1 Unreachable; wave 1 of 2, "canary"',
  )
})
