import { expect, test } from 'vitest'
import type { Blocker } from '../../../src/rollout/model/blocker.ts'
import type { PoolGrant } from '../../../src/rollout/model/grant.ts'
import type { PoolProposal, SelectableNode } from '../../../src/rollout/selection/propose.ts'
import { select } from '../../../src/rollout/selection/select.ts'
import { noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

function request(node: NodeDraft, more: Partial<SelectableNode> = {}): SelectableNode {
  const member = aMember(node)
  return {
    name: node.name,
    price: 'Available',
    member,
    digest: 'new',
    mustDrain: false,
    needsProof: false,
    ...more,
  } as SelectableNode
}

const [a, b] = [request(aNode('a')), request(aNode('b'))]
const ofControlPlane = request(aNode('c'), { isControlPlane: true } as never)
const proposal = (requests: readonly SelectableNode[], more: Partial<PoolProposal> = {}) =>
  ({ requests, spending: requests.length, isOfSome: false, assignsFrom: noon, ...more }) as PoolProposal
const grant = (nodes: readonly string[], more: Partial<PoolGrant> = {}): PoolGrant => ({
  nodes: new Set(nodes),
  lacksFleetBudget: false,
  ...more,
})

const turn = { turnOf: 'x' }
const waits = '"c" waits: control-plane node "x" is being changed'

test.each<readonly [what: string, requests: readonly SelectableNode[], given: PoolGrant, message: string | undefined]>([
  ['a node of the control plane that was refused for the turn of another', [a, ofControlPlane], grant(['a'], turn), waits],
  ['nothing when no node of the control plane was refused', [a, ofControlPlane], grant(['c'], turn), undefined],
  ['nothing when none is asked for', [a, b], grant(['a'], turn), undefined],
  ['nothing when no other has the turn', [a, ofControlPlane], grant(['a']), undefined],
])('a selection names as blocked %s', (_, requests, given, message) => {
  expect(select(proposal(requests), given, noon).blocker?.message).toBe(message)
})

const blocker: Blocker = { reason: 'NodesFailed', message: 'no', stalls: false }

test.each<readonly [what: string, more: Partial<PoolProposal>, given: PoolGrant, isTold: boolean]>([
  ['keeps the whole pool', { blocker }, grant(['a']), true],
  ['keeps some, when no budget keeps others', { blocker, isOfSome: true }, grant(['a', 'b']), true],
  ['keeps some, when a budget keeps others', { blocker, isOfSome: true }, grant(['a']), false],
  [
    'keeps some for good, when a budget keeps others',
    { blocker: { ...blocker, stalls: true }, isOfSome: true },
    grant(['a']),
    true,
  ],
])('a blocker that %s is told, or not', (_, more, given, isTold) => {
  expect(select(proposal([a, b], more), given, noon).blocker !== undefined).toBe(isTold)
})

test('as many nodes wait for a budget as would spend a place and were granted none', () => {
  const free = request(aNode('f'), { price: 'Nothing' })
  expect(select(proposal([a, b, free], { spending: 7 }), grant(['a', 'f']), noon).waiting).toBe(6)
})

const proof = { digest: 'new', assignedAt: 5, state: 'Wanted', podCapacity: 30 } as const
const capacityOf = (node: NodeDraft, more: Partial<SelectableNode> = {}) => {
  const [selected] = select(
    proposal([request({ ...node, podCapacity: 110 } as NodeDraft, { needsProof: true, ...more })]),
    grant([node.name]),
    noon,
  ).selected
  return selected?.kind === 'assign' ? selected.proof : selected?.kind
}

test.each<readonly [what: string, node: NodeDraft, proof: object | string]>([
  ['as it is', aNode('a'), { podCapacity: 110 }],
  [
    'as before the first attempt, where it is assigned the same once more',
    { ...aNode('a'), proof } as NodeDraft,
    { podCapacity: 30 },
  ],
  [
    'as it is, where it is assigned other content',
    { ...aNode('a'), proof: { ...proof, digest: 'old' } } as NodeDraft,
    { podCapacity: 110 },
  ],
  [
    'as it is, where nothing is known of before the first attempt',
    { ...aNode('a'), proof: { digest: 'new', assignedAt: 5, state: 'Wanted' } } as NodeDraft,
    { podCapacity: 110 },
  ],
])('a proof is wanted with the capacity of the node %s', (_, node, expected) => {
  expect(capacityOf(node)).toEqual(expected)
})

test.each([
  ['before now', noon - 1, noon],
  ['at this moment', noon, noon + 1],
  ['a moment ahead', noon + 999, noon + 1000],
  ['by a clock that has been put back', noon + 1000, noon],
])('the stamp of an assignment after one %s is one of its own', (_, last, at) => {
  const [selected] = select(proposal([request(aNode('a').assignedTo('older', { at: last }))]), grant(['a']), noon).selected
  expect(selected).toMatchObject({ kind: 'assign', at })
})
