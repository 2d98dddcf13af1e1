import { expect, test } from 'vitest'
import { nodeWas } from '../../../src/rollout/model/node-was.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

const clock = { now: noon, rolloutStart: noon - hour, applyTimeout: 15 * minute }
const underway = { clock, rollout: { state: 'InProgress' } } as const
const completed = { clock, rollout: { state: 'Completed' } } as const
const wanted = { kind: 'config', digest: 'new', disruption: 'restart' } as const
const asUnsound = { kind: 'assign', node: 'a', revision: 'new', digest: 'new', grant: 'restart', at: noon } as const
const failed = aNode('a').assignedTo('older').reporting('Failed')
const other = aNode('a').assignedBy({ ...asUnsound, digest: 'older', nodeWas: 'Unsound' })
const again = aNode('a').assignedBy({ ...asUnsound, nodeWas: 'Unsound' })
const silentSince = (minutes: number) =>
  aNode('a')
    .on('older')
    .assignedTo('middle', { at: noon - minutes * minute })
const silentBefore = aNode('a').assignedBy({ ...asUnsound, digest: 'older', nodeWas: 'Silent' })
const silentAgain = aNode('a').assignedBy({ ...asUnsound, nodeWas: 'Silent' })

test.each<readonly [what: string, expected: string | undefined, node: NodeDraft]>([
  ['was assigned nothing', undefined, aNode('a')],
  ['serves', undefined, aNode('a').on('older')],
  ['was put back', undefined, aNode('a').rolledBackFrom('older')],
  ['its agent could not restore', 'Unsound', failed],
  ['its agent could not restore, and is not Ready', 'Unsound', failed.notReady()],
  ['its agent could not restore, and that was to try once more', 'Unsound', failed.assignedTo('older', { at: noon + 1 })],
  ['can run no pod', 'Unsound', aNode('a').on('older').noting('Failed')],
  ['its agent could not restore from the same', undefined, aNode('a').assignedTo('new').reporting('Failed')],
  ['its agent is silent about, though it has had its time', 'Silent', silentSince(16)],
  ['its agent is still to report', undefined, silentSince(14)],
  ['is not Ready, so that its agent cannot report', 'Down', silentSince(16).notReady()],
  ['its agent stays silent about', 'Silent', silentBefore],
  ['its agent stays silent about the same', 'Silent', silentAgain],
  ['its agent stays silent about, while it is not Ready', 'Silent', silentBefore.notReady()],
  ['its agent reports after it was silent', undefined, silentBefore.reporting('Applying')],
  ['did not serve before it got other content, and was put back from that', 'Unsound', other.reporting('RolledBack')],
  ['did not serve before it got other content, which heals it', undefined, other.reporting('Applied')],
  ['did not serve before it got the same', 'Unsound', again.reporting('Failed')],
  ['did not serve before it got the same, and is healed', undefined, again.reporting('Applied')],
])('of a node that %s it is noted: %s', (_, expected, node) => {
  expect(nodeWas(aMember(node, { wanted }), underway)).toBe(expected)
})

test('an agent is not silent before it had the time to report that the API server was away', () => {
  const was = (watchedSince: number) =>
    nodeWas(aMember(silentSince(16), { wanted }), { ...underway, clock: { ...clock, watchedSince } })

  expect(was(noon - minute)).toBeUndefined()
  expect(was(noon - 2 * minute)).toBe('Silent')
})

const failedAt = (at: number) => aNode('a').assignedTo('new', { at }).reporting('Failed')

test.each<readonly [what: string, expected: string | undefined, node: NodeDraft]>([
  ['before this rollout', 'Unsound', failedAt(noon - 2 * hour)],
  ['in this rollout', undefined, failedAt(noon)],
])('of a node that the target does not change and that could not be restored from it %s it is noted: %s', (_, expected, node) => {
  expect(nodeWas(aMember(node, { wanted, changes: false }), underway)).toBe(expected)
})

const exposed = aNode('a').assignedTo('new, by former labels', { at: noon - 5 * minute })

test.each<readonly [what: string, expected: string | undefined, node: NodeDraft]>([
  ['went down after that', 'Disturbed', exposed.notReady()],
  ['went down in the same second', 'Disturbed', exposed.notReady(noon - 5 * minute)],
  ['is at work', 'Disturbed', exposed.reporting('Applying')],
  ['is Ready again', undefined, exposed.reporting('Applied')],
  ['could not be restored', undefined, exposed.reporting('Failed')],
  ['was down before', 'Down', exposed.notReady(noon - 6 * minute)],
  ['went down before, by another assignment of this rollout', 'Disturbed', exposed.takenDown().notReady(noon - 6 * minute)],
  ['went down after that, and somebody shut its machine down', 'Down', exposed.poweredOff()],
])('of a node that got the commit in this rollout and %s it is noted: %s', (_, expected, node) => {
  expect(nodeWas(aMember(node, { wanted, isExposed: true }), underway)).toBe(expected)
})

const held = aNode('a').on('new', { at: noon - 5 * minute, since: noon - 3 * minute })

test.each<readonly [what: string, expected: string | undefined, node: NodeDraft]>([
  ['held on it before that', 'Down', held.notReady(noon - 3 * minute)],
  ['had not held on it yet', 'Disturbed', held.notReady(noon - 4 * minute)],
  ['was still on trial', 'Disturbed', held.reporting('Applied', { lastKnownGood: 'older' }).notReady()],
  ['a pod had still to prove', 'Disturbed', held.noting('Wanted').notReady()],
  ['its agent had not ended', 'Disturbed', exposed.notReady()],
])('of a node that went down after the rollout completed, with content that %s, it is noted: %s', (_, expected, node) => {
  expect(nodeWas(aMember(node, { wanted, isExposed: true }), completed)).toBe(expected)
  expect(nodeWas(aMember(node, { wanted, isExposed: true }), underway)).toBe('Disturbed')
})
