import { expect, test } from 'vitest'
import { condition, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aRollout } from '../builders/revisions.ts'
import { deciding, deeds, done, IN_WINDOWS } from './some-reboots.ts'

test('host that requires a reboot is shown, and rebooted only where the policy says so', () => {
  const requiring = done('a').requiringReboot('1')
  const shown = deciding({}, requiring)

  expect(deeds(shown)).toEqual([])
  expect(verdict(shown).Ready).toBe('True Completed')
  expect(condition(shown, 'Ready').message).toBe('1 of 1 nodes are at new; 1 node requires a reboot: "a"')
  expect(shown.status.reboots).toEqual([{ node: 'a', state: 'Required', because: '/run/reboot-required, libc6' }])
  expect(deeds(deciding({ reboot: IN_WINDOWS }, requiring))).toEqual(['cordon a'])
})

test('host that still requires a reboot after it was ordered one for this boot is not ordered another', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1' }).reporting('RolledBack', { active: 'new' })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.requiringReboot('1')))).toEqual([])
})

test('host that requires a reboot again after each reboot is rebooted once a day, and an operator may do it sooner', () => {
  const orderedAt = (at: number) =>
    done('a')
      .orderedToReboot('new', { boot: '1' }, { at })
      .reporting('Applied', { since: at + minute })
      .booted('2')
      .requiringReboot('2')
  const early = deciding({ reboot: IN_WINDOWS }, orderedAt(noon - hour))

  expect(deeds(early)).toEqual([])
  expect(early.wakeAt).toBe(noon + 23 * hour)
  expect(early.status.reboots).toEqual([{ node: 'a', state: 'Required', because: '/run/reboot-required, libc6' }])
  expect(condition(early, 'Ready').message).toBe(
    '1 of 1 nodes are at new; 1 node requires a reboot: "a"; less than a day after their last reboot: "a"',
  )
  expect(deeds(deciding({ reboot: IN_WINDOWS }, orderedAt(noon - hour).toReboot('2')))).toEqual(['cordon a'])
  expect(deeds(deciding({ reboot: IN_WINDOWS }, orderedAt(noon - 24 * hour)))).toEqual(['cordon a'])
})

test('host that requires a reboot an hour after an operator rebooted it waits for nothing', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1', at: '2026-11-21T11:00:00Z' }, { at: noon - hour })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.reporting('Applied').booted('2').requiringReboot('2')))).toEqual([
    'cordon a',
  ])
})

test('host that requires a reboot again was ordered one by a clock that was years ahead: it does not wait for years', () => {
  const ordered = done('a').orderedToReboot('new', { boot: '1' }, { at: noon + 9000 * hour })

  expect(deeds(deciding({ reboot: IN_WINDOWS }, ordered.reporting('Applied').booted('2').requiringReboot('2')))).toEqual([
    'cordon a',
  ])
})

test('host that requires a reboot again waits for a day also when its run is stamped by a clock that was a little ahead', () => {
  const startedAt = noon + 4 * minute
  const history = [aRollout('new', { result: 'Completed', startedAt })]
  const ordered = done('a').orderedToReboot('new', { boot: '1' }, { at: startedAt })
  const again = ordered
    .reporting('Applied', { since: noon - 1000 })
    .booted('2')
    .requiringReboot('2')

  expect(deeds(deciding({ reboot: IN_WINDOWS, history }, again))).toEqual([])
})
