import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BlastLimits, type BlastStep, blastReasons, measureBlast } from '../../src/render/blast-radius.ts'
import { planFleet } from '../../src/render/plan-fleet.ts'
import { aFleet, aNode, type Documents, WORKERS } from './fleets.ts'

const nodes = ['a', 'b', 'c', 'd'].map((name) => aNode(name))
const workers = (rest = '') => ({ 'NodePool workers': `${WORKERS}\n${rest}` })

/** Why a change is held, with these limits at the commit that it starts from. */
function held(from: Documents, to: Documents, limits = '{}'): readonly string[] {
  return planFleet({ from: aFleet({ ...from, 'Fleet fleet': `blastRadius: ${limits}` }), to: aFleet(to), nodes }).held
}

test('a commit within its limits is not held, nor is one without any', () => {
  expect(held(workers(), workers('kubelet: {flags: {v: 4}}'), '{maxNodes: 4}')).toEqual([])
  expect(held(workers(), workers('kubelet: {flags: {v: 4}}'))).toEqual([])
})

test('a commit that changes more nodes than stated is held', () => {
  expect(held(workers(), workers('kubelet: {flags: {v: 4}}'), '{maxNodes: 3}')).toEqual([
    'it changes 4 of 4 nodes, and blastRadius.maxNodes is 3',
  ])
  expect(held(workers(), workers('kubelet: {flags: {v: 4}}'), '{maxNodes: 99%}')).toEqual([
    'it changes 4 of 4 nodes, and blastRadius.maxNodes is 99%',
  ])
})

test('a commit cannot lift its own limits', () => {
  const to = { ...workers('kubelet: {flags: {v: 4}}'), 'Fleet fleet': 'blastRadius: {maxNodes: 100%}' }

  expect(held(workers(), to, '{maxNodes: 3}')).toHaveLength(1)
})

test('a commit that leaves the fleet without a pool is held, whatever is stated', () => {
  expect(held(workers(), {})).toEqual(['it removes every pool of the fleet', 'it removes pool "workers" with 4 nodes'])
})

test('a commit that drops a pool with nodes is held, also when another one takes them; one without nodes may go', () => {
  const old = { 'NodePool old': 'nodeSelector: {matchLabels: {role: old}}' }

  expect(held({ ...workers(), ...old }, workers())).toEqual([])
  expect(held(workers(), { 'NodePool renamed': WORKERS })).toEqual(['it removes pool "workers" with 4 nodes'])
})

test('a commit that leaves a pool without any of its nodes is held', () => {
  expect(held(workers(), { 'NodePool workers': 'nodeSelector: {matchLabels: {role: wroker}}' })).toEqual([
    'it removes all 4 nodes from pool "workers"',
  ])
})

test('a commit that deletes more files and units than stated is held', () => {
  const profile = (spec: string) => ({ ...workers('hostProfiles: [p]'), 'HostProfile p': spec })
  const from = profile(
    'files: [{path: /etc/a, content: a}, {path: /etc/b, content: b}]\nunits: [{name: c.service, enabled: true}]',
  )
  const to = profile('files: [{path: /etc/a, content: other}, {path: /etc/b, state: absent}]')

  expect(held(from, to, '{maxFilesDeleted: 2}')).toEqual([])
  expect(held(from, to, '{maxFilesDeleted: 1}')).toEqual([
    'it deletes 2 files and units, "/etc/b" first, and blastRadius.maxFilesDeleted is 1',
  ])
})

const pools = { before: new Set(['x', 'y']), after: new Set(['x', 'y']) }
const aStep = fc.record({
  poolBefore: fc.constantFrom('x', 'y', undefined),
  poolAfter: fc.constantFrom('x', 'y', undefined),
  before: fc.constantFrom(undefined, ...['1', '2'].map((digest) => ({ digest, content: {} }))),
  after: fc.constantFrom(undefined, ...['1', '2'].map((digest) => ({ digest, content: {} }))),
  returns: fc.boolean(),
})

test('the nodes that count are those that change or lose their pool, but for those that go back', () => {
  fc.assert(
    fc.property(fc.array(aStep), (steps: readonly BlastStep[]) => {
      const { touched, nodes: total } = measureBlast(steps, pools)
      const changes = steps.filter((step) => step.poolAfter && step.after && step.before?.digest !== step.after.digest)
      const lost = steps.filter((step) => step.poolBefore && !step.poolAfter)
      expect(total).toBe(steps.length)
      expect(touched).toBe(changes.filter(({ returns }) => !returns).length + lost.length)
    }),
  )
})

test('a fleet that bears every share is never held for the nodes that change', () => {
  const limits: BlastLimits = { maxNodes: { percent: 100 } }
  fc.assert(
    fc.property(fc.array(aStep), (steps: readonly BlastStep[]) => {
      const blast = measureBlast(steps, pools)
      expect(blastReasons(blast, limits).filter((reason) => reason.includes('maxNodes'))).toEqual([])
    }),
  )
})
