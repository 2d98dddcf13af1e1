/** A way back that has to download something, and what else happens meanwhile. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const DOWNLOAD = 20 * MINUTE

function release(machine: Machine, version: string): { readonly version: string; readonly host: string } {
  return { version, host: JSON.stringify({ kubelet: machine.release(version) }) }
}

async function untilApplied(machine: Machine, digest: string): Promise<void> {
  await machine.clock.runUntil(() => machine.status?.phase === 'Applied' && machine.status.digest === digest, {
    within: 120 * MINUTE,
  })
}

/** 1.36.1 has held its trial, 1.36.3 goes bad in its own, and the binary of 1.36.1 is not on the host any more. */
async function goingBack() {
  const machine = new Machine({ durations: { download: DOWNLOAD } })
  machine.start()
  const good = machine.assign(release(machine, '1.36.1'))
  await untilApplied(machine, good)
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign(release(machine, '1.36.3'))
  await untilApplied(machine, bad)
  const { files } = machine.host
  for (const path of Object.keys(files.snapshot())) if (path.includes('/staging/kubelet-')) await files.remove(path)
  machine.host.injectCrash(({ version, args }) =>
    version === 'v1.36.3' && !args.includes('--v=4') ? 'panic: out of luck' : undefined,
  )
  await machine.clock.advance(2 * MINUTE)
  return { machine, good, bad }
}

test('agent applies a fix while what it would go back to is being downloaded, and does not go back from it', async () => {
  const { machine } = await goingBack()
  const at = machine.clock.elapsed()
  const fix = machine.assign({ ...release(machine, '1.36.3'), flags: '--v=4' })
  await untilApplied(machine, fix)
  expect(machine.clock.elapsed() - at).toBeLessThan(MINUTE)
  await machine.clock.advance(2 * DOWNLOAD)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest: fix, lastKnownGood: fix })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

test('agent goes back when the download has come, and says so', async () => {
  const { machine, good, bad } = await goingBack()
  await machine.clock.advance(DOWNLOAD)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', digest: bad, active: good, error: { reason: 'TrialFailed' } })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.1')
})

test('agent downloads once what both a revert and its own way back need', async () => {
  const { machine, good } = await goingBack()
  const asked: number[] = []
  const get = machine.artifacts.get.bind(machine.artifacts)
  machine.artifacts.get = (url) => {
    asked.push(machine.clock.elapsed())
    return get(url)
  }
  machine.assign(release(machine, '1.36.1'))
  await untilApplied(machine, good)

  expect(asked).toHaveLength(1)
})

test('agent watches and repairs while what it would go back to is being downloaded', async () => {
  const { machine } = await goingBack()
  const { files } = machine.host
  const path = '/etc/motd'
  const { version, host } = release(machine, '1.36.3')
  const fix = machine.assign({
    version,
    flags: '--v=4',
    host: JSON.stringify({ ...JSON.parse(host), files: [{ path, content: 'ours\n' }] }),
  })
  await untilApplied(machine, fix)
  files.put(path, 'hacked\n')
  await machine.clock.advance(6 * MINUTE)

  expect(files.text(path)).toBe('ours\n')
})

test('agent stays with a configuration that gets well and holds its trial before the download has come', async () => {
  const { machine, bad } = await goingBack()
  machine.host.injectCrash(() => undefined)
  await machine.clock.advance(3 * DOWNLOAD)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest: bad, lastKnownGood: bad })
  expect(machine.host.services.healthyVersion()).toBe('v1.36.3')
})

test('agent that is stopped does not wait for what it would go back to, and goes back when it is started again', async () => {
  const { machine, good } = await goingBack()
  machine.kill()
  machine.start()
  await machine.clock.advance(2 * DOWNLOAD)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', active: good })
})
