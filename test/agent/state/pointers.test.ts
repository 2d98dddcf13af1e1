import { expect, test } from 'vitest'
import { statePaths } from '../../../src/agent/paths.ts'
import { AgentState } from '../../../src/agent/state/state.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const paths = statePaths()
const DIGEST = `v1:${'a'.repeat(64)}`

test('pointer that is damaged is damaged no more when it is set to what it cannot be read as: nothing', async () => {
  const files = new MemoryFiles()
  const state = new AgentState(paths, files)
  files.put(paths.lastKnownGood, 'no digest\n')
  expect(await state.isDamaged('lastKnownGood')).toBe(true)
  await state.point('lastKnownGood', undefined)

  expect(files.text(paths.lastKnownGood)).toBeUndefined()
  expect(await state.isDamaged('lastKnownGood')).toBe(false)
})

test('pointer is not written when it says the same already: each write is a wait for the disk', async () => {
  const files = new MemoryFiles()
  const state = new AgentState(paths, files)
  await state.point('active', DIGEST)
  files.writeAtomic = () => Promise.reject(new Error('written again'))
  files.remove = () => Promise.reject(new Error('removed again'))
  await state.point('active', DIGEST)

  expect(await state.digest('active')).toBe(DIGEST)
})
