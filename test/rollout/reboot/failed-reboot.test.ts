import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { condition, phases, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { ASKED, CANARY, deciding, deeds, done, IN_WINDOWS, NEVER } from './some-reboots.ts'

test('node whose agent is done and that shows the same boot counts as rebooting until its time is over, and has failed then', () => {
  const order = { boot: '1', at: ASKED }
  const same = done('a')
    .orderedToReboot('new', order)
    .reporting('Applied', { since: noon - 1000 })
    .toReboot('1')
  const late = done('a')
    .orderedToReboot('new', order, { at: noon - 26 * minute })
    .reporting('Applied', { since: noon - 25 * minute })
    .toReboot('1')

  expect(phases(deciding({}, same))).toEqual({ Rebooting: 1 })
  const decision = deciding({}, late)
  expect(decision.status.failed[0]?.reason).toBe('NotRebooted')
  expect(decision.status.reboots?.[0]?.state).toBe('Failed')
})

test('machine that does not come back has failed after applyTimeout and the time of a reboot, and no other reboots', () => {
  const order = { boot: '1', at: ASKED }
  const away = (at: number) =>
    done('a')
      .orderedToReboot('new', order, { at })
      .reporting('Applying', { error: { reason: 'Rebooting', message: 'the machine reboots' } })
      .notReady(at + minute)
      .toReboot('1')
  const waiting = done('b').toReboot('1')

  expect(phases(deciding({ maxUnavailable: 2 }, away(noon - 24 * minute)))).toEqual({ Rebooting: 1 })
  const decision = deciding({ maxUnavailable: 2 }, away(noon - 25 * minute), waiting)
  expect(decision.status.failed).toEqual([
    {
      node: 'a',
      reason: 'RebootTimeout',
      message: `the machine was ordered to reboot after ${stamp(noon - 25 * minute)}, and its agent has not come back`,
    },
  ])
  expect(deeds(decision)).toEqual([])
  expect(verdict(decision).Stalled).toBe('True NodesFailed')
})

test('machine that refused to reboot has failed; asked once more it is ordered once more', () => {
  const refused = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED })
    .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const asked = refused.toReboot('1')
  const again = refused.toReboot('1', { at: stamp(noon - minute / 2) })

  expect(deeds(deciding({}, asked))).toEqual([])
  expect(deciding({}, asked).status.failed[0]?.reason).toBe('RebootRefused')
  expect(deeds(deciding({}, again))).toEqual(['cordon a'])
})

test('machine that refused to reboot, and was rebooted by somebody, gets its content once more and is no failure', () => {
  const since = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED })
    .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
    .booted('2')
    .toReboot('1')

  expect(deeds(deciding({}, since))).toEqual(['assign a none none', 'clearReboot a'])
})

test('node that failed at its reboot keeps no later wave waiting when it is held, as the pool says', () => {
  const asked = ['a', 'b', 'c'].map((name) => done(name).toReboot('1'))
  const canary = deeds(deciding({ waves: CANARY }, ...asked))[0]?.replace('cordon ', '') ?? ''
  const failed = done(canary)
    .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 40 * minute })
    .reporting('RolledBack', { error: { reason: 'NotRebooted', message: 'the machine did not reboot' } })
  const others = asked.filter(({ name }) => name !== canary)

  expect(deeds(deciding({ waves: CANARY }, failed, ...others))).toEqual([])
  expect(deeds(deciding({ waves: CANARY }, failed.held(), ...others))).toEqual(others.map(({ name }) => `cordon ${name}`))
})

test('pool is stalled by a machine that failed at its reboot, and is not reconciling though another one waits for its own', () => {
  const refused = (name: string) =>
    done(name)
      .orderedToReboot('new', { boot: '1', at: ASKED })
      .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const failed = refused('a')
  const decision = deciding({ maxUnavailable: 2 }, failed, done('b').toReboot('1'))

  expect(deeds(decision)).toEqual([])
  expect(verdict(decision)).toMatchObject({ Reconciling: 'False NodesFailed', Stalled: 'True NodesFailed' })
})

test('reboot that failed rejects no commit, also when the status of the pool was lost and its rollout begins again', () => {
  const failed = done('a')
    .orderedToReboot('new', { boot: '1', at: ASKED }, { at: noon - 30 * minute })
    .reporting('RolledBack', { active: 'new', error: { reason: 'NotRebooted', message: 'the machine did not reboot' } })
  const { status } = decide(aPool({ head: 'new', reboot: NEVER }).with(failed, done('b')), noon)

  expect(status.rejected).toEqual([])
  expect(status.history[0]?.result).toBe('Completed')
})

test('pool says to ask again for the reboot that failed, since a retry is of content', () => {
  const refused = (name: string) =>
    done(name)
      .orderedToReboot('new', { boot: '1', at: ASKED })
      .reporting('RolledBack', { active: 'new', error: { reason: 'RebootRefused', message: 'inhibited by apt' } })
  const failed = refused('a')
  const ofContent = done('c').rolledBackFrom('new', { at: noon - 3 * hour })
  const message = (...nodes: NodeView[]) => condition(deciding({ maxFailures: 2 }, ...nodes), 'Ready').message

  expect(message(failed)).toBe('"a": inhibited by apt; repair what is to blame, then: nodewave reboot a')
  expect(message(...['a', 'b', 'c', 'd'].map((name) => refused(name)))).toMatch(/: nodewave reboot a b c; and 1 more$/)
  expect(message(failed, ofContent)).toMatch(/, then: nodewave retry workers \(or kubectl .*\), and: nodewave reboot a$/)
})

test.each([
  ['that its host requires', (node: NodeDraft) => node.requiringReboot('1'), IN_WINDOWS],
  ['that an operator asked for', (node: NodeDraft) => node.toReboot('1'), NEVER],
])('reboot %s brings no node to content that failed on it, and its failure still counts', (_, asking, reboot) => {
  const failed = asking(
    aNode('a')
      .booted('1')
      .rolledBackFrom('new', { at: noon - hour }),
  )
  const drained = failed.drainedFor('new')
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - 2 * hour })]
  const decided = (node: NodeView) =>
    deciding({ reboot, history, since: noon - 2 * hour, pods: { a: [] }, maxFailures: 1 }, node, done('b'))

  expect(deeds(decided(failed))).toEqual([])
  expect(deeds(decided(drained))).toEqual(['uncordon a'])
  expect(decided(failed).status.history[0]?.laterFailures?.nodes).toEqual(['a'])
  expect(condition(decided(failed), 'Ready').message).toMatch(/^"a": failed to validate .* then: nodewave retry workers/)
})
