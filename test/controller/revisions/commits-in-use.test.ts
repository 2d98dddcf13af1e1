import { expect, test } from 'vitest'
import type { NodePoolView } from '../../../src/controller/cache/node-pool-view.ts'
import type { CompiledFleet, CompiledPool } from '../../../src/controller/fleet/compiled-fleet.ts'
import { commitsOf, commitsToKeep, knownTo } from '../../../src/controller/revisions/commits-in-use.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'

const [OLD, NOW, NEW] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string]
const ref = (revision: string) => ({ revision, fingerprint: `of ${revision}` })
const completed = (revision: string) => ({
  ...ref(revision),
  startedAt: '2026-11-21T08:00:00Z',
  endedAt: '2026-11-21T09:00:00Z',
  result: 'Completed',
})
const history = [completed(NOW), completed(OLD)] as never as NodePoolStatus['history']

const aView = (status: object, rollback?: string): NodePoolView =>
  ({ name: 'workers', status: { history, ...status }, controls: rollback === undefined ? {} : { rollback } }) as never

const KEPT = [NEW, NOW, OLD]

test.each<readonly [what: string, view: NodePoolView | undefined, commits: readonly string[]]>([
  ['that is not there yet', undefined, []],
  ['that was never at anything', aView({ history: [] }), []],
  ['on its way', aView({ target: ref(NEW), stable: ref(NOW) }), [NEW, NOW]],
  ['that was rolled back', aView({ target: ref(OLD), stable: ref(OLD), rollback: { to: ref(OLD) } }), [OLD, OLD, OLD]],
  ['that a person asks to go back', aView({ target: ref(NOW), stable: ref(NOW) }, OLD.slice(0, 12)), [NOW, NOW, OLD]],
  [
    'whose request was observed',
    aView({ target: ref(NOW), stable: ref(NOW), observedControls: { rollback: OLD } }, OLD),
    [NOW, NOW],
  ],
  ['that is asked for what is not known', aView({ target: ref(NOW), stable: ref(NOW) }, 'f'.repeat(40)), [NOW, NOW]],
])('a pool %s may be brought to these commits besides the newest', (_, view, commits) => {
  expect(commitsOf(view, KEPT)).toEqual(commits)
})

test('what a pool would go back to is kept though nobody asks for it', () => {
  expect([...commitsToKeep([aView({ target: ref(NOW), stable: ref(NOW) })], KEPT)]).toEqual([NOW, OLD])
})

const aPool = (fingerprint: string): CompiledPool => ({ name: 'workers', fingerprint }) as never
const aFleet = (commit: string, fingerprint: string): [string, CompiledFleet] => [
  commit,
  { commit, pools: new Map([['workers', aPool(fingerprint)]]) } as never,
]
const loaded = new Map([aFleet(NOW, 'of equal'), aFleet(OLD, `of ${OLD}`)])

test.each<readonly [what: string, view: NodePoolView | undefined, commits: readonly string[]]>([
  ['that is not there yet', undefined, []],
  ['that the status has elsewhere', aView({ target: ref(OLD) }), [OLD, NOW]],
  ['whose target they render to', aView({ target: { revision: NEW, fingerprint: 'of equal' } }), []],
])(
  'a pool %s knows commits of nodes that render to the newest content where its status does not have that',
  (_, view, commits) => {
    const known = knownTo(view, { pool: aPool('of equal'), kept: KEPT, revisions: loaded })

    expect(known.map(({ commit }) => commit)).toEqual(commits)
  },
)
