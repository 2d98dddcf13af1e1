import { expect, test } from 'vitest'
import { skewFacts } from '../../../src/rollout/control-plane/skew.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeTarget, PoolSnapshot, Revision } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, remembering, selected, verdict } from '../builders/decisions.ts'
import { noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRevision, aRollout } from '../builders/revisions.ts'

const at = (version: string) => ({ skew: skewFacts({ nodes: [], instances: [], answers: [version] }) })

/** Nodes `a` and `b` run `old` at 1.35.4; the head is `new` at the version given. */
function aChange(version: string | undefined, options: PoolOptions = {}): PoolSnapshot {
  const pool = aPool({ stable: 'old', fleet: at('v1.36.3'), ...options }).with(
    aNode('a').running('1.35.4').on('old'),
    aNode('b').running('1.35.4').on('old'),
  )
  const known = [...pool.known].map(([name, revision]) => [name, wanting(revision, '1.35.4')] as const)
  return { ...pool, head: version === undefined ? pool.head : wanting(pool.head, version), known: new Map(known) }
}

function wanting(revision: Revision, version: string): Revision {
  return {
    ...revision,
    wanted: new Map(
      [...revision.wanted].map(([name, wanted]): [string, NodeTarget] => [name, { ...wanted, version } as NodeTarget]),
    ),
  }
}

test('a pool does not begin with a kubelet that is newer than the API server, and names all that matters', () => {
  const decision = decide(aChange('1.37.0'), noon)

  expect(selected(decision)).toEqual([])
  expect(verdict(decision).Stalled).toBe('True VersionSkew')
  expect(condition(decision, 'Ready').message).toBe(
    'pool "workers": kubelet 1.37.0 is newer than the API server at v1.36.3; allowed: 1.33 to 1.36',
  )
  expect(decision.status.target?.revision).toBe('old')
})

test('a pool that was never told anything does not begin with a kubelet that is too new, however often it is asked', () => {
  const pool = aPool({ fleet: at('v1.36.3') }).with(aNode('a').running('1.35.4'))
  const fresh = { ...pool, head: wanting(pool.head, '1.37.0') }
  const first = decide(fresh, noon)
  const second = decide(remembering(fresh, first), noon)

  expect([...selected(first), ...selected(second)]).toEqual([])
  expect(second.status).toEqual(first.status)
  expect(first.status.target).toBeUndefined()
})

test('a pool begins once the API server is new enough', () => {
  expect(selected(decide(aChange('1.37.0', { fleet: at('v1.37.0') }), noon))).toEqual(expect.arrayContaining(['a', 'b']))
})

test('a pool waits while the API server has not told its version, and is not stalled', () => {
  const decision = decide(aChange('1.36.3', { fleet: { skew: { kind: 'unknown', why: 'it is away' } } }), noon)

  expect(selected(decision)).toEqual([])
  expect(verdict(decision)).toEqual({ Ready: 'False VersionSkew', Reconciling: 'True VersionSkew', Stalled: 'False VersionSkew' })
})

test('a pool that names no version asks nothing of the API server', () => {
  const decision = decide(aChange(undefined, { fleet: at('v1.20.0') }), noon)

  expect(selected(decision)).toEqual(expect.arrayContaining(['a', 'b']))
})

test('a pool under way takes no further node when an API server has gone back since', () => {
  const pool = aChange('1.36.3', { since: noon - 1000, maxUnavailable: 1, fleet: at('v1.35.2') })
  const decision = decide(pool, noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'VersionSkew',
    message: 'pool "workers": kubelet 1.36.3 is newer than the API server at v1.35.2; allowed: 1.32 to 1.35',
  })
})

test('a node that joins does not get the proven content when its kubelet would be too old by now', () => {
  const pool = aChange('1.36.3', { fleet: at('v1.39.0'), since: noon - 1000 })
  const joining = { ...pool, nodes: [...pool.nodes, aNode('c').running('1.39.0')] }
  const known = new Map([['old', wanting(aRevision('old', joining.nodes), '1.35.4')]])

  expect(assignments(decide({ ...joining, known }, noon))).not.toContain('c → old')
})

test('a kubelet goes back by a minor version only by consent', () => {
  const decision = decide(aChange('1.34.9'), noon)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    reason: 'VersionSkew',
    message:
      'pool "workers": kubelet 1.35.4 → 1.34.9 goes back by a minor version on "a", "b"; to allow it, set rollout.allowDowngrade: true',
  })
  const pool = aChange('1.34.9')
  expect(selected(decide({ ...pool, policy: { ...pool.policy, allowDowngrade: true } }, noon))).toEqual(
    expect.arrayContaining(['a', 'b']),
  )
})

test('what runs on a node counts where no commit said a version before', () => {
  const pool = aPool({ fleet: at('v1.36.3') }).with(aNode('a').running('1.36.3'))

  expect(condition(decide({ ...pool, head: wanting(pool.head, '1.35.4') }, noon), 'Stalled').reason).toBe('VersionSkew')
})

test('another patch release of the same minor needs no consent', () => {
  expect(selected(decide(aChange('1.35.1'), noon))).toEqual(expect.arrayContaining(['a', 'b']))
})

test.each(['Completed', 'Superseded'] as const)('a revert to content of a run that was %s needs no consent', (result) => {
  const history = [aRollout('newer'), aRollout('new', { result, startedAt: noon - 7_200_000 })]
  const pool = aPool({ fleet: at('v1.36.3'), history }).with(aNode('a').running('1.36.3').on('newer'))

  expect(assignments(decide({ ...pool, head: wanting(pool.head, '1.35.4') }, noon))).toEqual(['a → new'])
})

test('a revert to content that the pool has run is held up all the same when its kubelet would be too old', () => {
  const history = [aRollout('newer'), aRollout('new', { result: 'Completed', startedAt: noon - 7_200_000 })]
  const pool = aPool({ fleet: at('v1.39.0'), history }).with(aNode('a').running('1.36.3').on('newer'))

  expect(selected(decide({ ...pool, head: wanting(pool.head, '1.35.4') }, noon))).toEqual([])
})

test('a rollback after a failure goes back by a minor version without asking', () => {
  const pool = aChange('1.36.3', { since: noon - 60_000, rejected: ['new'] })
  const nodes = [
    aNode('a')
      .running('1.36.3')
      .assignedTo('new', { at: noon - 1000 })
      .reporting('Failed'),
    ...pool.nodes.slice(1),
  ]

  expect(assignments(decide({ ...pool, nodes }, noon))).toEqual(['a → old'])
})
