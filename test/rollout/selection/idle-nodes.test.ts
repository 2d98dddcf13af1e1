import { expect, test } from 'vitest'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import { isIdle, isIdleUnderCordon, isServing } from '../../../src/rollout/selection/idle-nodes.ts'
import { minute, noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode, NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const over = { drain: { kind: 'Over' } } as const
const old = aNode('a').on('older')
const found = old.drainedFor('new', { state: 'Found' })

test.each<readonly [what: string, isIdle: boolean, node: NodeDraft, more: Partial<Member>]>([
  ['is available', false, old, {}],
  ['somebody cordoned', true, old.cordoned(), {}],
  ['somebody cordoned, and that is not Ready', false, old.cordoned().notReady(), {}],
  ['somebody cordoned, and that is at work', false, aNode('a').assignedTo('new').cordoned(), {}],
  ['is drained under our cordon', false, old.drainedFor('new'), {}],
  ['is still under our cordon when its drain is over', false, old.drainedFor('new'), over],
  ['is drained under a cordon that was there', false, found, {}],
  ['is under a cordon that was there when its drain is over', true, found, over],
])('a node that %s is idle under a cordon: %s', (_, expected, node, more) => {
  expect(isIdleUnderCordon(aMember(node, more))).toBe(expected)
})

const at = 15 * minute

/** Its last heartbeat is of the kubelet before. */
const stale = (node: NodeDraft): NodeDraft => new NodeDraft({ ...node, staleReady: true })

test.each<readonly [what: string, isIdle: boolean, node: NodeDraft]>([
  ['is Ready', false, old],
  ['went down a moment ago', true, old.notReady(noon)],
  ['went down almost as long ago as Kubernetes waits', true, old.notReady(noon - at + 1)],
  ['went down as long ago as Kubernetes waits', false, old.notReady(noon - at)],
  ['is down and at work', false, aNode('a').assignedTo('new').notReady()],
  ['is down after its agent rolled back', false, aNode('a').rolledBackFrom('new').notReady()],
  ['is down under drain', false, old.drainedFor('new').notReady()],
  ['never reported a kubelet', false, old.running('').notReady(noon)],
  ['is Ready by a heartbeat of the kubelet before', true, stale(old)],
  ['is Ready by such a heartbeat, and somebody cordoned', true, stale(old.cordoned())],
  ['is Ready by such a heartbeat, and at work', false, stale(aNode('a').assignedTo('new'))],
  ['is still to be proved by a pod', true, old.noting('Wanted')],
  ['is still to be proved by a pod, and Ready by such a heartbeat', true, stale(old.noting('Wanted'))],
  ['is still to be proved by a pod, and somebody cordoned', true, old.noting('Wanted').cordoned()],
  ['is proved', false, old.noting('Passed')],
  ['can run no pod', false, old.noting('Failed')],
  ['can run no pod, and is Ready by such a heartbeat', false, stale(old.noting('Failed'))],
  ['has such a heartbeat, and went down long ago', false, stale(old.notReady(noon - at))],
])('a node that %s is idle: %s', (_, expected, node) => {
  expect(isIdle(aMember(node), { pool: aPool({ applyTimeout: at }).with(node), now: noon })).toBe(expected)
})

const again = aNode('a')
  .on('new', { at: noon - minute })
  .assignedTo('new', { at: noon })

test.each<readonly [what: string, isServing: boolean, node: NodeDraft]>([
  ['runs what it was assigned again', true, again],
  ['runs what it was assigned again, and is not Ready', false, again.notReady()],
  ['runs what it was assigned again, and is cordoned', false, again.cordoned()],
  ['was assigned something else', false, aNode('a').on('older').assignedTo('new', { at: noon })],
  ['has reported the end of its work', false, aNode('a').on('new')],
  ['was assigned nothing', false, aNode('a')],
])('a node that %s serves while it counts as at work: %s', (_, expected, node) => {
  expect(isServing(aMember(node))).toBe(expected)
})
