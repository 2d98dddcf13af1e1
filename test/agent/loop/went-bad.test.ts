import { expect, test } from 'vitest'
import { conclude } from '../../../src/agent/loop/conclude.ts'
import { asking, recovered, stuck, wentBack } from '../../../src/agent/loop/went-bad.ts'
import type { Outcome } from '../../../src/agent/state/state.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const because = { reason: 'TrialFailed', message: 'went bad' }
const lost = { reason: 'ApiServerLost', message: 'the API server is lost' }
const refused = { reason: 'MalformedDesiredConfig', message: 'no JSON' }
const APPLIED: Outcome = { assignment: '{}', digest: 'v1:a', phase: 'Applied', since: 'then', attempts: 1 }
const REFUSED: Outcome = { ...APPLIED, phase: 'RolledBack', error: refused }
const told = (last: Outcome) => ({ last, now: 'now' })

test('assignment stands as it did when the host gets well by itself, however often going back failed', () => {
  const once = stuck(told(REFUSED), because)
  const twice = stuck(told(asking(told(once), because, 'reboot')), because)

  expect(once).toMatchObject({ phase: 'Failed', since: 'now', error: because })
  expect(recovered(told(twice), 'v1:b')).toEqual({ ...REFUSED, since: 'now', was: undefined, needs: undefined })
})

test('assignment that an agent of the first releases left at Failed is Applied when what runs is what it names', () => {
  const failed: Outcome = { ...APPLIED, phase: 'Failed', error: because }

  expect(recovered(told(failed), 'v1:a')).toEqual({ ...APPLIED, since: 'now' })
  expect(recovered(told(failed), 'v1:b')).toEqual(failed)
  expect(recovered(told(REFUSED), 'v1:a')).toEqual(REFUSED)
})

test('assignment under way goes on whatever becomes of going back', () => {
  const fetching: Outcome = { ...APPLIED, phase: 'Fetching' }

  expect(stuck(told(fetching), because)).toEqual({ ...fetching, error: because })
  expect(asking(told(fetching), because, 'reboot')).toEqual({ ...fetching, error: because })
  expect(wentBack(told(fetching), because)).toEqual(fetching)
})

test('going back tells why beside what was said before', () => {
  expect(wentBack(told(APPLIED), because)).toMatchObject({ phase: 'RolledBack', since: 'now', error: because })
  expect(wentBack(told(REFUSED), because).error).toEqual({ ...refused, message: 'no JSON; went bad' })
})

test('assignment that was refused is not tried again when the host goes back from an older one for want of the API server', () => {
  expect(wentBack(told(REFUSED), lost)).toEqual({
    ...REFUSED,
    since: 'now',
    error: { ...refused, message: 'no JSON; the API server is lost' },
  })
})

test('assignment that waited for a grant is tried again after the host went back, and not taken for what went bad', () => {
  const blocked: Outcome = { ...APPLIED, phase: 'Blocked', needs: 'drain', attempts: 2 }

  expect(wentBack(told(blocked), because)).toEqual({ ...APPLIED, phase: 'Applying', attempts: 0 })
})

test('going back that waits for a grant says since when, however often it was tried', () => {
  const first = asking({ last: APPLIED, now: 'first' }, because, 'reboot')

  expect(first).toMatchObject({ phase: 'Blocked', needs: 'reboot', error: because, since: 'first' })
  expect(asking({ last: first, now: 'second' }, because, 'reboot').since).toBe('first')
})

test('assignment has not failed when the host could not go back for want of the API server, unless it is not as before either', () => {
  const head = {
    purpose: 'fallback' as const,
    because: lost,
    awaits: undefined,
    activation: { restarts: [] },
    before: {},
  }
  const failure = { reason: 'HealthCheckFailed', message: 'unwell' }
  const message = 'the API server is lost; going back to what last worked failed: unwell'

  expect(conclude(head, { kind: 'undone', failure }, told(APPLIED))).toMatchObject({
    phase: 'Applying',
    error: { ...lost, message },
  })
  expect(conclude(head, { kind: 'broken', failure }, told(APPLIED))).toMatchObject({ phase: 'Failed', error: failure })
})

/** A commit in its trial whose predecessor cannot be read any more. */
async function withoutWayBack(): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  machine.host.files.put(`/var/lib/nodewave/checkpoints/${good.replace(':', '-')}/content.json`, '')
  return machine
}

function goBad(machine: Machine): void {
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
}

test('agent says again that it refused an assignment when the host, which could not go back, gets well by itself', async () => {
  const machine = await withoutWayBack()
  machine.annotate('{broken')
  await machine.until('RolledBack')
  goBad(machine)
  await machine.until('Failed')
  machine.host.injectCrash(() => undefined)
  await machine.clock.advance(60 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', error: { reason: 'MalformedDesiredConfig' } })
})

test('agent takes up an assignment that could not be fetched while the host could not go back', async () => {
  const machine = await withoutWayBack()
  const newer = machine.assign({ flags: '--v=4' })
  const [name = '', data = {}] = [...machine.node.configMaps].at(-1) ?? []
  machine.node.configMaps.delete(name)
  await machine.untilDigest(newer, 'Fetching')
  goBad(machine)
  await machine.clock.advance(5 * MINUTE)
  machine.node.configMaps.set(name, data)

  expect(await machine.untilDigest(newer, 'Applied')).toMatchObject({ active: newer })
})

test('agent goes back for good while another assignment waits for a grant, which that then still does', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')
  const waiting = machine.assign({ flags: '--v=4' }, { GRANT: 'none' })
  await machine.untilDigest(waiting, 'Blocked')
  goBad(machine)
  await machine.clock.advance(5 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Blocked', digest: waiting, needs: 'restart', active: good })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})
