import { expect, test } from 'vitest'
import { needsDrain } from '../../../src/rollout/drain/needs-drain.ts'
import type { Blocker } from '../../../src/rollout/model/blocker.ts'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import type { Rollout } from '../../../src/rollout/model/rollout.ts'
import { noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { wantedConfig } from '../builders/revisions.ts'

interface Given {
  readonly member?: Partial<Member>
  readonly node?: Member['node']
  readonly state?: Rollout['state']
  readonly blocker?: Partial<Blocker>
}

function needs({ member, node = aNode('a').on('older'), state = 'InProgress', blocker }: Given): boolean {
  const found = blocker && { reason: 'Paused' as const, message: 'paused', stalls: true, ...blocker }
  const rollout = { state } as Rollout
  return needsDrain(aMember(node, member), { pool: aPool().with(node), rollout, now: noon, blocker: () => found })
}

const underDrain = aNode('a').on('older').drainedFor('new')
const forOlder = aNode('a').on('older').drainedFor('before')
const joining = { progress: { phase: 'Joining', pending: true } } as const

test.each<readonly [what: string, given: Given]>([
  ['it is its turn', {}],
  ['its rollout is completed', { state: 'Completed' }],
  ['something keeps the pool from beginning, and its drain has not begun', { blocker: {} }],
  ['it is drained for this content', { node: underDrain }],
  ['it is drained for this content, and the pool is paused meanwhile', { node: underDrain, blocker: {} }],
  ['it is drained for older content, and nothing keeps the pool', { node: forOlder }],
  ['it joins beside what spares joining nodes', { node: forOlder, member: joining, blocker: { sparesJoining: true } }],
])('a node needs its drain when %s', (_, given) => {
  expect(needs(given)).toBe(true)
})

test.each<readonly [what: string, given: Given]>([
  ['its pool is halted', { state: 'Halted' }],
  ['its pool may not begin', { state: 'Blocked' }],
  ['its wave is not open', { member: { exposure: { content: 'none', because: 'LaterWave' } } }],
  ['its content cannot be rendered', { member: { wanted: { kind: 'problem', message: 'no label' } } }],
  ['it has its content', { member: { assigned: true } }],
  ['the change only restarts its kubelet', { member: { wanted: wantedConfig({ digest: 'new', disruption: 'restart' }) } }],
  ['it is drained for older content, and the pool is paused', { node: forOlder, blocker: {} }],
  ['what keeps the pool stops drains', { node: underDrain, blocker: { stopsDrains: true } }],
  ['it joins beside what keeps joining nodes, too', { node: forOlder, member: joining, blocker: {} }],
  ['it does not join beside what spares joining nodes', { node: forOlder, blocker: { sparesJoining: true } }],
])('a node needs no drain when %s', (_, given) => {
  expect(needs(given)).toBe(false)
})
