import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000

test.each(['ENOSPC', 'EIO', 'EROFS'] as const)(
  'agent that starts while the disk answers %s tells what goes bad',
  async (code) => {
    const machine = new Machine()
    machine.start()
    await machine.untilDigest(machine.assign({ flags: '--v=1' }), 'Applied')
    await machine.clock.advance(11 * MINUTE)
    const second = machine.assign({ flags: '--v=3' })
    await machine.untilDigest(second, 'Applied')
    machine.kill()
    machine.host.faults.disk = code
    machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
    machine.start()
    await machine.clock.advance(10 * MINUTE)

    expect(machine.status).toMatchObject({ phase: 'Failed', error: { message: expect.stringContaining('out of luck') } })
    machine.host.faults.disk = undefined
    expect(await machine.until('RolledBack')).toMatchObject({ error: { reason: 'TrialFailed' } })
  },
)

test.each(['ENOSPC', 'EIO', 'EROFS'] as const)(
  'agent that died in a change, and starts while the disk answers %s, says what holds it up',
  async (code) => {
    const machine = new Machine()
    machine.start()
    await machine.untilDigest(machine.assign({ flags: '--v=1' }), 'Applied')
    await machine.clock.advance(11 * MINUTE)
    machine.kill()
    machine.start({ after: { method: 'restart' }, torn: true })
    const digest = machine.assign({ flags: '--v=3' })
    await machine.clock.advance(MINUTE)
    machine.kill()
    machine.host.faults.disk = code
    machine.start()
    await machine.clock.advance(5 * MINUTE)

    expect(machine.status).toMatchObject({ phase: 'Applying', digest, error: { message: expect.stringContaining(code) } })
    machine.host.faults.disk = undefined
    expect(await machine.untilDigest(digest, 'Applied')).not.toHaveProperty('error')
  },
)
