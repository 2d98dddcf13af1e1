import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { ProofPod } from '../../../src/rollout/model/node-view.ts'
import { assignments, condition, phases, verdict } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const PAUSE = 'registry.k8s.io/pause:3.10'
/** When the canary was assigned. */
const at = noon - minute
const rollingOut: PoolOptions = {
  stable: 'older',
  since: noon - 2 * minute,
  maxUnavailable: 1,
  waves: [aWave('canary', 1)],
  wave: { index: 1, count: 2, name: 'canary' },
  proof: {},
  proofs: [],
}
const others = nodes('b', 'c').map((node) => node.on('older').withPause())
const canary = aNode('a').on('new', { at }).withPause().noting('Wanted', { podCapacity: 110 })

function aProofPod(state: ProofPod['state'], more: Partial<ProofPod> = {}): ProofPod {
  const startedAt = noon - minute / 2
  return { node: 'a', name: 'proof-a', uid: 'uid-1', digest: 'new', assignedAt: at, startedAt, state, ...more }
}

function actionsOf(options: PoolOptions, subject = canary): readonly Action[] {
  return decide(aPool({ ...rollingOut, ...options }).with(subject, ...others), noon).actions
}

test('an assignment wants a proof when the change disturbs the node and the node has a pause image', () => {
  const assigned = (options: PoolOptions, node = aNode('a').on('older').withPause()) =>
    decide(aPool({ ...rollingOut, ...options }).with(node), noon).actions

  expect(assigned({})).toMatchObject([{ kind: 'assign', node: 'a', proof: { podCapacity: 110 } }])
  expect(assigned({ disruption: 'none' })).not.toHaveProperty('0.proof')
  expect(assigned({ disruption: 'none', proof: { mode: 'Always' } })).toHaveProperty('0.proof')
  expect(assigned({ proof: { mode: 'Never' } })).not.toHaveProperty('0.proof')
  expect(assigned({}, aNode('a').on('older'))).not.toHaveProperty('0.proof')
  expect(assigned({ proof: { image: 'example.com/probe:1' } }, aNode('a').on('older'))).toHaveProperty('0.proof')
})

test('a return to what the pool has completed before wants no proof', () => {
  const back = aPool({ ...rollingOut, head: 'older', since: noon }).with(aNode('a').on('new').withPause())

  expect(assignments(decide(back, noon))).toEqual(['a → older'])
  expect(decide(back, noon).actions).not.toHaveProperty('0.proof')
})

test('a pod is run on a node whose agent is done, and no other node is selected before it has run', () => {
  const decision = decide(aPool(rollingOut).with(canary, ...others), noon)

  const pod = { node: 'a', image: PAUSE, digest: 'new', assignedAt: at, timeout: 2 * minute, at: noon }
  expect(decision.actions).toEqual([{ kind: 'startProof', pod }])
  expect(phases(decision)).toEqual({ Proving: 1, Waiting: 2 })
  expect(verdict(decision).Ready).toBe('False RollingOut')
})

test('a node that is being proved spends the budget, so that the nodes of one wave are proved one after the other', () => {
  const decision = decide(
    aPool({ ...rollingOut, waves: [aWave('all', '100%')], wave: { index: 1, count: 1, name: 'all' } }).with(canary, ...others),
    noon,
  )

  expect(assignments(decision)).toEqual([])
  expect(condition(decision, 'Stalled').status).toBe('False')
})

test('no pod is run while its agent works, while the node is not Ready, or while nobody knows which pods there are', () => {
  const working = aNode('a').assignedTo('new', { at }).reporting('Applying').withPause().noting('Wanted')
  const { proofs, ...unread } = rollingOut

  expect(actionsOf({}, working)).toEqual([])
  expect(actionsOf({}, canary.notReady(noon - 1000))).toEqual([])
  expect(decide(aPool(unread).with(canary, ...others), noon).actions).toEqual([])
  expect(phases(decide(aPool(unread).with(canary, ...others), noon))).toEqual({ Proving: 1, Waiting: 2 })
})

test('a pause container that runs has proved its node, which is noted before the pod is removed', () => {
  const passed = { state: 'Passed', endedAt: noon, digest: 'new', assignedAt: at, podCapacity: 110 }
  const [first, ...more] = actionsOf({ proofs: [aProofPod('Running')] })

  expect(first).toEqual({ kind: 'recordProof', node: 'a', proof: passed })
  expect(more).toEqual([])
  expect(actionsOf({ proofs: [aProofPod('Running')] }, canary.noting('Passed', { endedAt: noon }))).toContainEqual({
    kind: 'removeProof',
    pod: { name: 'proof-a', uid: 'uid-1' },
  })
})

test('no other node is selected before it is noted that a pod has run: the note shows that nothing has changed meanwhile', () => {
  const ran = aPool({ ...rollingOut, proofs: [aProofPod('Running')] })
  const unnoted = decide(ran.with(canary, ...others), noon)
  const noted = decide(ran.with(canary.noting('Passed', { endedAt: noon }), ...others), noon)

  expect(phases(unnoted)).toEqual({ Proving: 1, Waiting: 2 })
  expect(assignments(unnoted)).toEqual([])
  expect(assignments(noted)).toEqual(['b → new'])
})

test('a command must end well: that its container runs proves nothing yet', () => {
  const proof = { image: 'example.com/busybox:1', command: ['nslookup', 'kubernetes.default.svc'] }

  expect(actionsOf({ proof, proofs: [aProofPod('Running', { hasToEnd: true })] })).toEqual([])
  expect(actionsOf({ proof, proofs: [aProofPod('Succeeded')] })[0]).toMatchObject({
    kind: 'recordProof',
    proof: { state: 'Passed' },
  })
})

test('a pod that fails, or does not run in time, fails its node with its own words, and the pool goes back', () => {
  const message = 'exit code 1: nslookup: can’t resolve kubernetes.default'
  const failed = decide(aPool({ ...rollingOut, proofs: [aProofPod('Failed', { message })] }).with(canary, ...others), noon)
  const slow = aProofPod('Pending', { startedAt: noon - 2 * minute, message: 'FailedCreatePodSandBox: no such plugin' })
  const late = decide(aPool({ ...rollingOut, proofs: [slow] }).with(canary, ...others), noon)

  expect(failed.events).toContainEqual({
    on: { kind: 'pool' },
    type: 'Warning',
    reason: 'RolledBack',
    message: `new failed on "a": the pod that proves the node failed: ${message}`,
  })
  expect(condition(failed, 'Stalled').message).toContain(message)
  expect(condition(late, 'Stalled').reason).toBe('RolledBack')
  expect(condition(late, 'Stalled').message).toContain('has not started within 120 s: FailedCreatePodSandBox: no such plugin')
  expect(assignments(late)).toEqual(['a → older'])
})

test('a failed proof stays when its pod is gone, and the node goes back first and without spending the budget', () => {
  const noted = canary.noting('Failed', { endedAt: noon - 1000, message: 'the pod that proves the node failed: no network' })
  const down = aNode('b').on('older').notReady()
  const decision = decide(aPool(rollingOut).with(noted, down, aNode('c').on('older')), noon)

  expect(assignments(decision)).toEqual(['a → older'])
})

test('with onFailure Halt the failure is noted on the node before its pod is removed', () => {
  const failed = aProofPod('Failed', { message: 'no network' })
  const message = 'the pod that proves the node failed: no network'

  expect(actionsOf({ onFailure: 'Halt', proofs: [failed] })).toEqual([
    {
      kind: 'recordProof',
      node: 'a',
      proof: { state: 'Failed', endedAt: noon, message, digest: 'new', assignedAt: at, podCapacity: 110 },
    },
  ])
})

test('with onFailure Halt the node keeps its failure, and nothing goes on', () => {
  const noted = canary.noting('Failed', { endedAt: noon - 1000, message: 'no network' })
  const decision = decide(aPool({ ...rollingOut, onFailure: 'Halt' }).with(noted, ...others), noon)

  expect(verdict(decision).Stalled).toBe('True Halted')
  expect(assignments(decision)).toEqual([])
})

test('an outage of the API server is not counted against a pod', () => {
  const pod = aProofPod('Pending', { startedAt: noon - 10 * minute, message: 'ContainerCreating' })
  const pool = { ...aPool({ ...rollingOut, proofs: [pod] }).with(canary, ...others), steadySince: noon - minute }

  expect(phases(decide(pool, noon))).toEqual({ Proving: 1, Waiting: 2 })
  expect(decide(pool, noon).wakeAt).toBe(noon + minute)
})

test('a kubelet that says nothing about the pod after a restore of etcd is given another one, for eight minutes', () => {
  const proving = (pods: readonly ProofPod[]) => ({
    ...aPool({ ...rollingOut, proofs: [...pods] }).with(canary, ...others),
    ...{ steadySince: noon - minute, listedAt: noon - minute },
  })
  const pod = aProofPod('Pending', { startedAt: noon })
  const late = decide(proving([pod]), noon + 2 * minute)
  const later = decide(proving([]), noon + 2 * minute)
  const failed = decide(proving([aProofPod('Pending', { startedAt: noon + 5 * minute })]), noon + 7 * minute)

  expect(phases(late)).toEqual({ Proving: 1, Waiting: 2 })
  expect(late.actions).toMatchObject([{ kind: 'removeProof', pod: { uid: pod.uid } }])
  expect(later.actions).toMatchObject([{ kind: 'startProof', pod: { node: 'a', at: noon + 2 * minute } }])
  expect(condition(failed, 'Stalled').message).toContain('its kubelet says nothing about the pod')
})

test('a node that was full before the change has no room for the pod, which says nothing about the change', () => {
  const full = aProofPod('Failed', { hasNoRoom: true, message: 'OutOfpods: Pod was rejected' })

  expect(actionsOf({ proofs: [full] })[0]).toMatchObject({ kind: 'recordProof', proof: { state: 'Passed' } })
  expect(actionsOf({ proofs: [full] }, canary.withPause(10))).toMatchObject([{ kind: 'assign', node: 'a', digest: 'older' }])
})

test('a node that was under pressure before the change takes no pod, which says nothing about the change', () => {
  const message = 'Evicted: Pod was rejected: The node had condition: [DiskPressure].'
  const rejected = aProofPod('Failed', { wasEvicted: true, message })
  const pressed = canary.noting('Wanted', { pressures: ['DiskPressure'] }).under('DiskPressure', noon)
  const outcome = (pod: ProofPod, subject: NodeDraft) => actionsOf({ proofs: [pod] }, subject)[0]

  expect(outcome(rejected, pressed)).toMatchObject({ kind: 'recordProof', proof: { state: 'Passed' } })
  expect(outcome(rejected, pressed.under('MemoryPressure', noon))).toMatchObject({ kind: 'assign', digest: 'older' })
  expect(outcome(rejected, canary.under('DiskPressure', noon))).toMatchObject({ kind: 'assign', digest: 'older' })
  expect(outcome(aProofPod('Failed'), pressed)).toMatchObject({ kind: 'assign', digest: 'older' })
})

test('an assignment notes the pressure before it, and keeps that when the same is assigned once more', () => {
  const pressed = aNode('a').on('older').withPause().under('DiskPressure', noon)
  const again = canary.rolledBackFrom('new', { at: noon - hour }).noting('Wanted', { pressures: ['DiskPressure'] })
  const assigned = (node: NodeDraft) => decide(aPool({ ...rollingOut }).with(node), noon).actions

  expect(assigned(pressed)).toMatchObject([{ kind: 'assign', proof: { podCapacity: 110, pressures: ['DiskPressure'] } }])
  expect(assigned(again)).toMatchObject([{ kind: 'assign', proof: { pressures: ['DiskPressure'] } }])
})

test('a pod of an earlier assignment is removed, and proves nothing', () => {
  const old = aProofPod('Running', { assignedAt: at - minute })

  expect(actionsOf({ proofs: [old] })).toEqual([{ kind: 'removeProof', pod: { name: 'proof-a', uid: 'uid-1' } }])
})

test('a pod goes when its agent put the host back, and its proof is wanted no more', () => {
  const undone = aNode('a').rolledBackFrom('new', { at }).withPause().noting('Wanted')

  expect(actionsOf({ onFailure: 'Halt', proofs: [aProofPod('Pending')] }, undone)).toContainEqual({
    kind: 'removeProof',
    pod: { name: 'proof-a', uid: 'uid-1' },
  })
})

test('a proof that nobody wants any more has passed', () => {
  expect(actionsOf({ proof: { mode: 'Never' } })[0]).toMatchObject({ kind: 'recordProof', proof: { state: 'Passed' } })
})

test('a retry proves the node again though its agent is done', () => {
  const failed = aNode('a')
    .on('new', { at: noon - 10 * minute })
    .withPause(10)
    .noting('Failed', { message: 'no network', podCapacity: 110 })
  const [action] = actionsOf({ since: noon - minute, disruption: 'none' }, failed)

  expect(action).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', proof: { podCapacity: 110 } })
})

test('a node that runs the content without having been proved with it wants a proof', () => {
  const other = aNode('a')
    .rolledBackFrom('other', { at: noon - hour, to: 'new' })
    .withPause()
  const [action] = actionsOf({ disruption: 'none', proofs: [] }, other)

  expect(action).toMatchObject({ kind: 'assign', node: 'a', digest: 'new', proof: { podCapacity: 110 } })
})

test('the controller wakes when the time of a pod is over, also of a superseded assignment', () => {
  const halted = aPool({ ...rollingOut, onFailure: 'Halt', rejected: ['new'], head: 'newer', proofs: [aProofPod('Pending')] })
  const held = canary.held()

  expect(decide(halted.with(held, ...others), noon).wakeAt).toBe(noon + 1.5 * minute)
})

test('the soak counts from the proof', () => {
  const waves = [aWave('canary', 1, { soak: 5 * minute })]
  const soaking = canary.noting('Passed', { endedAt: noon - 10_000 })
  const decision = decide(aPool({ ...rollingOut, waves }).with(soaking, ...others), noon)

  expect(phases(decision)).toEqual({ Soaking: 1, Waiting: 2 })
  expect(decision.wakeAt).toBe(noon - 10_000 + 5 * minute)
})

test('a node that is being proved when its commit is superseded ends its proof, or gets the new content', () => {
  const superseded = aPool({ ...rollingOut, head: 'newer', since: noon, proofs: [aProofPod('Running')] })
  const decision = decide(superseded.with(canary, ...others), noon)

  expect(decision.actions.map(({ kind }) => kind)).toContain('recordProof')
  expect(condition(decision, 'Stalled').status).toBe('False')
})

test('at most 50 pods of a pool run at once', () => {
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`)
  const all = nodes(...names).map((node) => node.on('new', { at }).withPause().noting('Wanted'))
  const waves = [aWave('all', '100%')]
  const { actions } = decide(
    aPool({ ...rollingOut, maxUnavailable: '100%', waves, wave: { index: 1, count: 1, name: 'all' } }).with(...all),
    noon,
  )

  expect(actions.filter(({ kind }) => kind === 'startProof')).toHaveLength(50)
})

test('a change after which the kubelet reports no image any more is proved with the image that the node had', () => {
  const lost = aNode('a').on('new', { at }).noting('Wanted', { pauseImage: PAUSE })

  expect(actionsOf({}, aNode('a').on('older').withPause())[0]).toMatchObject({ kind: 'assign', proof: { pauseImage: PAUSE } })
  expect(actionsOf({}, lost)).toMatchObject([{ kind: 'startProof', pod: { image: PAUSE } }])
})

test('a retry is proved, too, on a node that reports no image since the first attempt', () => {
  const failed = aNode('a')
    .on('new', { at: noon - 10 * minute })
    .noting('Failed', { message: 'no network', pauseImage: PAUSE })

  expect(actionsOf({ since: noon - minute }, failed)[0]).toMatchObject({ kind: 'assign', proof: { pauseImage: PAUSE } })
})

test('a commit that changes the pod of later proofs has one that runs judged by what it runs', () => {
  const proof = { image: 'example.com/busybox:1', command: ['nslookup', 'kubernetes.default.svc'] }
  const hanging = aProofPod('Running', { hasToEnd: true })

  expect(actionsOf({ proof, proofs: [aProofPod('Running', { startedAt: noon - 2 * minute })] })[0]).toMatchObject({
    kind: 'recordProof',
    proof: { state: 'Passed' },
  })
  expect(actionsOf({ proofs: [hanging] })).toEqual([])
})

test('the pool says that a proof waits for the pod of an earlier assignment, which does not end', () => {
  const stuck = aProofPod('Running', { assignedAt: at - minute })

  expect(condition(decide(aPool({ ...rollingOut, proofs: [stuck] }).with(canary, ...others), noon), 'Ready').message).toContain(
    'the proof of "a" waits for the pod "proof-a" of an earlier assignment to end',
  )
})

const A_QUIET_CHANGE = { digest: 'new', revision: 'new', pool: 'workers', grant: 'none', at } as const

test('the pool says which nodes no pod proves, because they report no pause image', () => {
  const unproved = aNode('a').on('new', { at })
  const says = (options: PoolOptions, node = unproved) =>
    condition(decide(aPool({ ...rollingOut, ...options }).with(node, ...others), noon), 'Ready').message
  const words = 'not proved by a pod, since they report no pause image: "a"; name an image in rollout.proof.pod.image'

  expect(says({})).toContain(words)
  expect(says({ proof: { mode: 'Never' } })).not.toContain('pause image')
  expect(says({ proof: { image: 'example.com/probe:1' } })).not.toContain('pause image')
  expect(says({}, canary.noting('Passed', { endedAt: noon }))).not.toContain('pause image')
  expect(says({}, unproved.noting('Passed', { endedAt: noon }))).not.toContain('pause image')
  expect(says({}, new NodeDraft({ ...unproved, assigned: { ...A_QUIET_CHANGE } }))).not.toContain('pause image')
  expect(says({ proof: { mode: 'Always' } }, new NodeDraft({ ...unproved, assigned: { ...A_QUIET_CHANGE } }))).toContain(words)
  expect(says({ stable: 'new' })).not.toContain('pause image')
})

test('what no pod proves comes at the end of a message, after what the pool waits for', () => {
  const waves = [aWave('canary', 1), aWave('rest', '100%', { manual: true })]
  const decision = decide(aPool({ ...rollingOut, waves }).with(aNode('a').on('new', { at }), ...others), noon)

  expect(condition(decision, 'Ready')).toMatchObject({
    reason: 'WaitingForPromotion',
    message: expect.stringMatching(/"rest" opens after: .*; not proved by a pod, .* in rollout\.proof\.pod\.image$/),
  })
})

test('a pool that has completed says so, too, of the nodes that its last rollout disturbed, and of no others', () => {
  const history = [aRollout('new', { result: 'Completed', startedAt: noon - hour })]
  const completed: PoolOptions = { head: 'new', stable: 'new', history, proof: {}, proofs: [] }
  const disturbed = aNode('a').on('new', { at: noon - hour / 2 })
  const earlier = aNode('b').on('new', { at: noon - 9 * hour })
  const decision = decide(aPool(completed).with(disturbed, earlier), noon)

  expect(verdict(decision).Ready).toBe('True Completed')
  expect(condition(decision, 'Ready').message).toContain('no pause image: "a"; name')
})

test('a node whose pause image is not known any more passes without a pod, unless the policy names an image', () => {
  const unknown = aNode('a').on('new', { at }).noting('Wanted', { podCapacity: 110 })

  expect(actionsOf({}, unknown)).toMatchObject([{ kind: 'recordProof', proof: { state: 'Passed' } }])
  expect(actionsOf({ proof: { image: 'example.com/probe:1' } }, unknown)).toMatchObject([
    { kind: 'startProof', pod: { image: 'example.com/probe:1' } },
  ])
})

test('no pod is run on a node that is being deleted', () => {
  expect(actionsOf({}, canary.beingDeleted()).filter(({ kind }) => kind === 'startProof')).toEqual([])
})

const unproved = 'not proved by a pod, since they report no pause image'

test.each<readonly [what: string, isNamed: boolean, node: NodeDraft, options: PoolOptions]>([
  ['was changed by this rollout', true, aNode('a').on('new', { at }), {}],
  ['was changed when this rollout began', true, aNode('a').on('new', { at: noon - 2 * minute }), {}],
  ['was changed before this rollout', false, aNode('a').on('new', { at: noon - 2 * minute - 1 }), {}],
  ['waits for its turn', false, aNode('a').on('older'), {}],
  ['reports a pause image', false, aNode('a').on('new', { at }).withPause(), {}],
  ['has a proof', false, aNode('a').on('new', { at }).noting('Passed'), {}],
  ['was changed in a pool whose policy names an image', false, aNode('a').on('new', { at }), { proof: { image: 'probe:1' } }],
  ['was changed in a pool without proofs', false, aNode('a').on('new', { at }), { proof: { mode: 'Never' } }],
])('a node that %s is named as one that no pod proved: %s', (_, isNamed, node, options) => {
  const { message } = condition(decide(aPool({ ...rollingOut, ...options }).with(node, ...others), noon), 'Ready')

  expect(message.includes(unproved)).toBe(isNamed)
})

test('a node that is being proved stays cordoned when a newer commit waits, until its proof has ended', () => {
  const waiting = aPool({ ...rollingOut, head: 'newer', since: noon, controls: { paused: '' } })
  const uncordons = (state: 'Wanted' | 'Passed') => {
    const node = aNode('a').assignedTo('new', { at }).reporting('Applied').withPause().drainedFor('new').noting(state)
    return decide(waiting.with(node, ...others), noon).actions.filter(({ kind }) => kind === 'uncordon')
  }

  expect(uncordons('Wanted')).toEqual([])
  expect(uncordons('Passed')).toEqual([{ kind: 'uncordon', node: 'a', lifts: true }])
})
