import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Assessment, assess } from '../../src/rollout/decide.ts'
import { minute, noon } from './builders/instants.ts'
import { aNode } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'

const pool = aPool({ stable: 'older', since: noon - minute, waves: [aWave('canary', 1)] }).with(
  aNode('a').on('older'),
  aNode('b').on('older'),
)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Each time with the one before; only the last one is kept. */
function assessedAgain(times: number): { readonly all: readonly WeakRef<object>[]; readonly last: Assessment } {
  let last = assess(pool, noon)
  const all = [new WeakRef(last.state)]
  for (let time = 1; time < times; time++) {
    last = assess(pool, noon + time, last)
    all.push(new WeakRef(last.state))
  }
  return { all, last }
}

test('an assessment does not keep those before it when they were made use of', async () => {
  const { all, last } = assessedAgain(100)
  await new Promise(setImmediate)
  collectGarbage()
  // A compiler beside may hold one or another for a moment. If each kept the one before, all would be there.
  expect(all.filter((state) => state.deref() !== undefined).length).toBeLessThan(20)
  expect(last.state.members).toHaveLength(2)
})
