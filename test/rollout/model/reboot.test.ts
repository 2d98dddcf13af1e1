import { expect, test } from 'vitest'
import type { Ceiling } from '../../../src/rollout/model/ceiling.ts'
import {
  awaitsReboot,
  dueReboot,
  hasRebootedAfterAll,
  isRequestOver,
  requestChangesAt,
  requiresReboot,
  waitsAfterReboot,
} from '../../../src/rollout/model/reboot.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { policyOf } from '../builders/policies.ts'

const node = aNode('a').on('new').booted('1')
const asked = (at: number) => node.toReboot('1', { at: stamp(at) })
const requiring = node.requiringReboot('1')
const day = 24 * hour

test.each<readonly [what: string, node: NodeDraft, at: number | undefined]>([
  ['ten seconds after it was made', asked(noon), noon + 10_000],
  ['ten seconds after it was made, almost ten seconds ago', asked(noon - 9_999), noon + 1],
  ['never, ten seconds after it was made', asked(noon - 10_000), undefined],
  ['ten seconds before it was made by a clock that is ahead', asked(noon + minute), noon + 50_000],
  ['ten seconds after it was made by a clock that is ten seconds ahead', asked(noon + 10_000), noon + 20_000],
  ['never when it is for another boot', node.toReboot('0'), undefined],
  ['never when there is none', node, undefined],
])('whether a request counts changes %s', (_, subject, at) => {
  expect(requestChangesAt(subject, noon)).toBe(at)
})

const WINDOWS = policyOf({ reboot: { whenRequired: 'InWindows', timeout: minute } })
const NEVER = policyOf({ reboot: { whenRequired: 'Never', timeout: minute } })
const due = (subject: NodeDraft, { policy = NEVER, ceiling }: { policy?: typeof NEVER; ceiling?: Ceiling } = {}) =>
  dueReboot(subject, { policy, ceiling, now: noon })

test.each<readonly [what: string, node: NodeDraft, boot: string | undefined]>([
  ['was asked for ten seconds ago', asked(noon - 10_000), '1'],
  ['was asked for less than ten seconds ago', asked(noon - 9_999), undefined],
  ['was asked for less than ten seconds ago, and its drain has begun', asked(noon - 1).drainedFor('new'), '1'],
  ['was asked for by a clock that is ten seconds ahead', asked(noon + 10_000), undefined],
  ['was asked for by a clock that is further ahead', asked(noon + 10_001), '1'],
  ['was asked for another boot', node.toReboot('0'), undefined],
  ['was asked for of a machine that tells no boot', aNode('a').on('new').toReboot('1'), undefined],
  ['is required by the host alone, where the policy does not say so', requiring, undefined],
])('a reboot that %s is due or not', (_, subject, boot) => {
  expect(due(subject)?.boot).toBe(boot)
})

test('a reboot that a person asked for is ordered once for each request, and one that the host requires once for each boot', () => {
  const at = stamp(noon - minute)
  const ordered = (order: object) => ({ ...asked(noon - minute), assigned: { ...node.assigned, reboot: order } }) as never

  expect(due(ordered({ boot: '1', at }))).toBeUndefined()
  expect(due(ordered({ boot: '1', at: stamp(noon - hour) }))).toEqual({ boot: '1', at })
  expect(due(ordered({ boot: '0', at }))).toEqual({ boot: '1', at })
  const required = { ...requiring, assigned: { ...node.assigned, reboot: { boot: '1' } } } as never
  expect(due(required, { policy: WINDOWS })).toBeUndefined()
  expect(due(requiring, { policy: WINDOWS })).toEqual({ boot: '1' })
})

const rule = (disruption: 'drain' | 'reboot' | undefined, rack?: string) => ({
  ...{ place: 'spec.rules[0]', disruption },
  ...(rack !== undefined && { nodeSelector: { matchLabels: { rack } } }),
})

test.each<readonly [what: string, isDue: boolean, ceiling: Ceiling | undefined]>([
  ['is absent', true, undefined],
  ['has no rules', true, { rules: [] }],
  ['cannot be read', false, { rules: [], unreadable: 'malformed' }],
  ['says nothing of disruption', true, { rules: [rule(undefined)] }],
  ['allows reboots', true, { rules: [rule('reboot')] }],
  ['allows only drains', false, { rules: [rule('drain')] }],
  ['allows reboots by one rule and only drains by another', false, { rules: [rule('reboot'), rule('drain')] }],
  ['allows only drains of other nodes', true, { rules: [rule('drain', '1')] }],
] as never)('a reboot that the host requires under a Ceiling that %s is due: %s', (_, isDue, ceiling) => {
  expect(due(requiring, { policy: WINDOWS, ...(ceiling && { ceiling }) }) !== undefined).toBe(isDue)
})

test.each<readonly [what: string, at: number, more: object, until: number | undefined]>([
  ['for a day', noon - hour, { boot: '0' }, noon - hour + day],
  ['for a day from this instant', noon, { boot: '0' }, noon + day],
  ['for another millisecond', noon - day + 1, { boot: '0' }, noon + 1],
  ['no longer after a day', noon - day, { boot: '0' }, undefined],
  ['for a day from an order of a clock that is a little ahead', noon + minute - 1, { boot: '0' }, noon + minute - 1 + day],
  ['not for an order of a clock that was further ahead than work may take', noon + minute, { boot: '0' }, undefined],
  ['not for what an operator ordered', noon - hour, { boot: '0', at: stamp(noon) }, undefined],
])('a host that requires a reboot again waits %s', (_, at, reboot, until) => {
  const subject = { ...requiring, assigned: { ...requiring.assigned, at, reboot } } as never

  expect(waitsAfterReboot(subject, { now: noon, applyTimeout: minute })).toBe(until)
})

test('a host that requires no reboot, or was ordered none, waits for nothing', () => {
  const ordered = { ...node, assigned: { ...node.assigned, at: noon - hour, reboot: { boot: '0' } } } as never

  expect(waitsAfterReboot(ordered, { now: noon, applyTimeout: minute })).toBeUndefined()
  expect(waitsAfterReboot(requiring, { now: noon, applyTimeout: minute })).toBeUndefined()
})

test('a host requires a reboot when it says so of the boot that it runs with', () => {
  expect(requiresReboot(requiring)).toBe(true)
  expect(requiresReboot(node.requiringReboot('0'))).toBe(false)
  expect(requiresReboot(node)).toBe(false)
  expect(requiresReboot(aNode('a'))).toBe(false)
})

test('a machine awaits its reboot while it runs with the boot that was to end', () => {
  expect(awaitsReboot(aNode('a').booted('1').orderedToReboot('new', { boot: '1' }))).toBe(true)
  expect(awaitsReboot(aNode('a').booted('2').orderedToReboot('new', { boot: '1' }))).toBe(false)
  expect(awaitsReboot(node)).toBe(false)
  expect(awaitsReboot(aNode('a'))).toBe(false)
})

test('a request is over when the machine runs with another boot than the one that was to end', () => {
  expect(isRequestOver(asked(noon))).toBe(false)
  expect(isRequestOver(node.toReboot('0'))).toBe(true)
  expect(isRequestOver(node)).toBe(false)
  expect(isRequestOver(aNode('a').toReboot('1'))).toBe(false)
})

test.each<readonly [what: string, hasIt: boolean, reason: string, ordered: string | undefined, boot: string | undefined]>([
  ['refused it, and another boot runs', true, 'RebootRefused', '1', '2'],
  ['gave it up, and another boot runs', true, 'NotRebooted', '1', '2'],
  ['gave it up, and the same boot runs', false, 'NotRebooted', '1', '1'],
  ['failed for another reason', false, 'TrialFailed', '1', '2'],
  ['was ordered none', false, 'NotRebooted', undefined, '2'],
  ['tells no boot', false, 'NotRebooted', '1', undefined],
])('a machine whose agent %s has rebooted after all: %s', (_, expected, reason, ordered, boot) => {
  const assigned = ordered === undefined ? aNode('a').assignedTo('new') : aNode('a').orderedToReboot('new', { boot: ordered })
  const reported = assigned.reporting('Failed', { error: { reason, message: '' } })

  expect(hasRebootedAfterAll(boot === undefined ? reported : reported.booted(boot))).toBe(expected)
})
