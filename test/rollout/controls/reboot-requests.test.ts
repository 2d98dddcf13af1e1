import { expect, test } from 'vitest'
import { observeReboots } from '../../../src/rollout/controls/reboot-requests.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const at = stamp(noon - minute)
const names = Array.from({ length: 50 }, (_, index) => `n${10 + index}`)
const asking = (name: string) => aNode(name).booted('1').toReboot('1')

/** Who asked for the reboots of `nodes`, while the fifty that a status shows are recorded. */
function recordedOf(...nodes: readonly string[]): readonly string[] {
  const pool = aPool({}).with(...nodes.map(asking))
  const reboots = names.map((node) => ({ node, state: 'Waiting', because: 'new firmware', at }) as const)
  const after = observeReboots({ ...pool, memory: { ...pool.memory, reboots } }, noon)
  return after.controls.flatMap((record) => record.nodes ?? [])
}

test('a request for a reboot is recorded when fifty others are recorded already, and its node comes before them', () => {
  expect(recordedOf('a', ...names)).toEqual(['a'])
})

test('a request for a reboot that others had kept out of the status is not recorded when it comes to be shown', () => {
  expect(recordedOf(...names.slice(1), 'z')).toEqual([])
})
