import { expect, test } from 'vitest'
import type { NodeReboot } from '../../../src/protocol/node-pool.ts'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import { describeReboots, rebootsOf } from '../../../src/rollout/status/reboots-shown.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'

const at = stamp(noon - minute)
const node = aNode('a').on('new').booted('1')
const ordered = aNode('a').booted('1').orderedToReboot('new', { boot: '1', at })
const rebooting = { progress: { phase: 'Rebooting', pending: true } } as const
const failed = { progress: { phase: 'Failed', pending: false, failure: { reason: 'X', message: 'x' } } } as const
const WAITING = { node: 'a', state: 'Waiting', because: 'new firmware', who: 'ada', at }

test.each<readonly [what: string, member: Member, reboot: object | undefined]>([
  ['is asked nothing', aMember(node), undefined],
  ['was asked to end another boot', aMember(node.toReboot('0')), undefined],
  ['was asked to end its boot', aMember(node.toReboot('1')), WAITING],
  ['is due', aMember(node, { reboot: { boot: '1' } }), { node: 'a', state: 'Waiting', because: '' }],
  ['was ordered to reboot', aMember(ordered), { node: 'a', state: 'Rebooting', because: '', since: at }],
  [
    'was ordered to reboot as asked',
    aMember(ordered.toReboot('1')),
    { node: 'a', state: 'Rebooting', because: 'new firmware', who: 'ada', at, since: at },
  ],
  ['failed to reboot', aMember(ordered, failed), { node: 'a', state: 'Failed', because: '', since: at }],
  ['comes back', aMember(ordered.booted('2'), rebooting), { node: 'a', state: 'Rebooting', because: '', since: at }],
  ['has come back', aMember(ordered.booted('2')), undefined],
  [
    'requires a reboot',
    aMember(node.requiringReboot('1')),
    { node: 'a', state: 'Required', because: '/run/reboot-required, libc6' },
  ],
  [
    'requires a reboot, and asks for one with its content',
    aMember(aNode('a').booted('1').assignedTo('new').reporting('Blocked', { needs: 'reboot' }).requiringReboot('1')),
    undefined,
  ],
])('a node that %s is shown with its reboot or without', (_, member, reboot) => {
  expect(rebootsOf([member])).toEqual(reboot === undefined ? [] : [reboot])
})

test('nodes whose hosts alone want a reboot come after those that were asked, each by name', () => {
  const requiring = (name: string) => aMember(aNode(name).on('new').booted('1').requiringReboot('1'))
  const asked = (name: string) => aMember(aNode(name).on('new').booted('1').toReboot('1'))
  const shown = (members: readonly Member[]) => rebootsOf(members).map((reboot: NodeReboot) => `${reboot.node} ${reboot.state}`)

  expect(shown([requiring('b'), asked('d'), requiring('a'), asked('c')])).toEqual([
    'c Waiting',
    'd Waiting',
    'a Required',
    'b Required',
  ])
})

test('a pool says which node reboots, since when, and how many more do', () => {
  const named = (name: string) => aMember(aNode(name).booted('1').orderedToReboot('new', { boot: '1' }))

  expect(describeReboots([])).toBe('')
  expect(describeReboots([aMember(node.toReboot('1'))])).toBe('')
  expect(describeReboots([named('a')])).toBe(`; "a" reboots since ${at}`)
  expect(describeReboots([named('b'), named('a')])).toBe(`; "a" reboots since ${at}; and 1 more`)
})
