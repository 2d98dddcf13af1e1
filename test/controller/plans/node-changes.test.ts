import { expect, test } from 'vitest'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { nodeChanges } from '../../../src/controller/plans/node-changes.ts'

const [A, B, C] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]

/** Of one pool, whose content is a flag; undefined: it claims no node. */
function aFleet(revision: string, v: number, { owns = true } = {}): object {
  const pool = {
    name: 'workers',
    fingerprint: revision,
    render: () => ({ kind: 'config', digest: `digest ${v}`, content: { flags: `--v=${v}` } }),
  }
  const ownerOf = () => (owns ? { kind: 'owned', pool: 'workers' } : { kind: 'unowned' })
  return { commit: revision, pools: new Map([['workers', pool]]), ownerOf }
}

interface Given {
  readonly node: object
  readonly fleets: readonly object[]
  readonly kept?: readonly string[]
}

function changes({ node, fleets, kept = [C, B, A] }: Given) {
  const revisions = new Map(fleets.map((fleet) => [(fleet as { commit: string }).commit, fleet]))
  const sources = { revisions, kept, renderer: new PoolRenderer() }
  return nodeChanges({ name: 'n0', facts: {}, poolLabel: 'workers', view: {}, ...node } as never, sources as never)
}

const assigned = (revision: string, v: number) => ({ view: { assigned: { revision, digest: `digest ${v}`, pool: 'workers' } } })
const runs = (revision: string, v: number) => ({ current: { DIGEST: `digest ${v}`, REVISION: revision, POOL: 'workers' } })
const past = (...entries: readonly (readonly [revision: string, phase: string])[]) => ({
  history: JSON.stringify(entries.map(([revision, phase]) => ({ revision: revision.slice(0, 12), phase, until: '' }))),
})
const change = (from: string, to: string) => [{ path: ['flags', 'v'], from, to }]

test('a node that has not applied its commit is compared with what it runs, and with the commit before', () => {
  const node = { ...assigned(C, 3), ...runs(A, 1) }

  expect(changes({ node, fleets: [aFleet(C, 3), aFleet(B, 2), aFleet(A, 1)] })).toEqual({
    revision: C,
    sinceRun: { revision: A, changes: change('1', '3') },
    sinceCommit: { revision: B, changes: change('2', '3') },
  })
})

test('a node that has applied its commit is compared with the last one that it applied before', () => {
  const node = { ...assigned(C, 3), ...runs(C, 3), ...past([B, 'RolledBack'], [C, 'Applied'], [A, 'Applied']) }

  expect(changes({ node, fleets: [aFleet(C, 3), aFleet(A, 1)] })).toEqual({
    revision: C,
    sinceRun: { revision: A.slice(0, 12), changes: change('1', '3') },
    sinceCommit: { revision: B },
  })
})

test('a commit that is out of use, or that the node was not in, is named without changes', () => {
  const node = { ...assigned(C, 3), ...runs(C, 3), ...past([A, 'Applied']) }

  expect(changes({ node, fleets: [aFleet(C, 3), aFleet(B, 2, { owns: false })] })).toEqual({
    revision: C,
    sinceRun: { revision: A.slice(0, 12) },
    sinceCommit: { revision: B },
  })
})

test('an assigned content that no commit in use renders is compared with nothing', () => {
  const node = { ...assigned(C, 9), ...runs(A, 1) }

  expect(changes({ node, fleets: [aFleet(C, 3), aFleet(A, 1)] })).toEqual({
    revision: C,
    sinceRun: { revision: A },
    sinceCommit: { revision: B },
  })
})

test('a node that ran nothing of nodewave, and a commit that is the first or not kept, have nothing before', () => {
  expect(changes({ node: assigned(A, 1), fleets: [aFleet(A, 1)] })).toEqual({ revision: A })
  expect(changes({ node: assigned(A, 1), fleets: [aFleet(A, 1)], kept: [C, B] })).toEqual({ revision: A })
})

test('a node to which nothing is assigned has no changes', () => {
  expect(changes({ node: {}, fleets: [aFleet(A, 1)] })).toBeUndefined()
})
