import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

test('agent that cannot put a host back keeps backups and staged files until something was applied', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ version: '1.36.1', host: JSON.stringify({ kubelet: machine.release('1.36.1') }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * 60_000)
  const restore = machine.host.files.restore.bind(machine.host.files)
  machine.host.files.restore = async (from, to, options) => {
    if (to === '/usr/bin/kubelet') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    return restore(from, to, options)
  }
  machine.host.injectCrash(({ version }) => (version === 'v1.36.3' ? 'panic: no' : undefined))
  const bad = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(bad, 'Failed')
  for (const isRestarted of [false, true]) {
    if (isRestarted) machine.kill()
    if (isRestarted) machine.start()
    await machine.clock.advance(60_000)
    const kept = Object.entries(machine.host.files.snapshot()).filter(([, text]) => text.includes('simulated kubelet v1.36.1'))
    expect(kept.map(([path]) => path.replace(/[0-9a-f]{64}/, 'SHA').replace(/[0-9a-f-]{36}/, 'ID'))).toEqual([
      '/var/lib/nodewave/backups/ID/0',
      '/var/lib/nodewave/staging/kubelet-SHA',
    ])
  }
  machine.host.files.restore = restore
  await machine.untilDigest(machine.assign({ flags: '--v=2' }), 'Applied')
  await machine.clock.advance(11 * 60_000)

  expect(Object.keys(machine.host.files.snapshot()).filter((path) => /backups|staging/.test(path))).toEqual([])
})
