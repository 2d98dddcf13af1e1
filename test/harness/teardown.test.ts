/** A slot is free again when nothing of its cluster is left, not before: the next cluster would be taken for what was left. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

test.runIf(process.platform === 'linux')('a slot is claimed by another cluster when nothing is left of the last', async () => {
  const { claimSlot, teardown } = await harness()
  const first = await claimSlot()
  const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', join(first.dir, 'left')])
  await once(left, 'spawn')

  const tornDown = teardown(first)
  const meanwhile = await claimSlot()
  left.kill('SIGKILL')
  await tornDown
  const afterwards = await claimSlot()

  expect(meanwhile.number).not.toBe(first.number)
  expect(afterwards.number).toBe(first.number)
})

/** With slots in a directory of its own, which the harness learns from the environment when it is loaded. */
async function harness() {
  const cache = await mkdtemp(join(tmpdir(), 'nodewave-slots-'))
  vi.stubEnv('NODEWAVE_E2E_CACHE', cache)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(cache, { recursive: true })
  })
  const { claimSlot } = await import('../e2e/cluster/slot.ts')
  const { teardown } = await import('../e2e/cluster/teardown.ts')
  return { claimSlot, teardown }
}
