import { expect, test } from 'vitest'
import { plannedWaves } from '../../../src/controller/plans/planned-waves.ts'
import { waitingCommit } from '../../../src/controller/plans/upcoming.ts'

const ref = (revision: string, fingerprint = `of ${revision}`) => ({ revision, fingerprint, subject: 'change', author: 'ann' })

interface Draft {
  /** The newest accepted commit, and the one that nodes change to. */
  readonly head?: object
  readonly target?: object
  readonly state?: string
  readonly rejected?: readonly object[]
  readonly blocker?: string
  /** A commit that a person has to promote; its content in the pool. */
  readonly held?: { readonly fingerprint?: string; readonly message?: string }
}

/** `new by ann: why`, marked when it was not accepted. */
function waiting({
  head = ref('new'),
  target = ref('old'),
  state = 'RollingOut',
  rejected = [],
  blocker,
  held,
}: Draft): string | undefined {
  const rollout = { target, state, memory: { rejected }, ...(blocker !== undefined && { commitBlocker: { message: blocker } }) }
  const heldFleet = held && {
    ...{ commit: 'held', subject: 'raise', author: 'bob' },
    pools: new Map(held.fingerprint === undefined ? [] : [['workers', { fingerprint: held.fingerprint }]]),
  }
  const found = waitingCommit({ pool: { name: 'workers', head }, state: { rollout } } as never, {
    ...(held?.message !== undefined && { held: held.message }),
    ...(heldFleet && { heldFleet: heldFleet as never }),
  })
  if (!found) return undefined
  const { revision, author, because } = found.commit
  return `${revision} by ${author}: ${because}${found.isUnaccepted ? ' (not accepted)' : ''}`
}

const ROLLED_BACK = 'new by ann: an operator rolled the pool back; the next commit ends that'
const asHeld = (fingerprint?: string) => ({ message: 'much', ...(fingerprint !== undefined && { fingerprint }) })

test.each<readonly [what: string, draft: Draft, expected: string | undefined]>([
  ['nothing when nodes change to the newest', { target: ref('new') }, undefined],
  ['nothing when it changes nothing here', { target: ref('old', 'of new') }, undefined],
  ['nothing when it failed here', { rejected: [ref('new')] }, undefined],
  ['nothing when it failed here, and blocks', { target: ref('new'), state: 'Blocked', rejected: [ref('new')] }, undefined],
  ['the newest after a rollback', {}, ROLLED_BACK],
  ['the newest when something blocks it', { blocker: 'the Ceiling' }, 'new by ann: the Ceiling'],
  ['the newest when it is the target, and blocked', { target: ref('new'), state: 'Blocked', blocker: 'no' }, 'new by ann: no'],
  ['one that a person has to promote', { target: ref('new'), held: asHeld('of held') }, 'held by bob: much (not accepted)'],
  ['not one that changes nothing here', { target: ref('new'), held: asHeld('of new') }, undefined],
  ['not one that has no such pool', { target: ref('new'), held: asHeld() }, undefined],
  ['the newest beside one that changes nothing here', { held: asHeld('of old') }, ROLLED_BACK],
  ['not one that nothing holds', { target: ref('new'), held: { fingerprint: 'of held' } }, undefined],
])('of a pool waits %s', (_, draft, expected) => {
  expect(waiting(draft)).toBe(expected)
})

test('nothing waits that is held where it is not known what it is', () => {
  const pool = { name: 'workers', head: ref('new') }
  const rollout = { target: ref('new'), state: 'RollingOut', memory: { rejected: [] } }
  expect(waitingCommit({ pool, state: { rollout } } as never, { held: 'much' })).toBeUndefined()
})

const wave = (name: string) => ({ name, soak: 5, manual: name === 'all', nodes: {} }) as never
const gates = [{ name: 'slo' }, { name: 'smoke', after: ['canary'] }, { name: 'late', after: ['all'] }] as never
const changing = (...names: readonly string[]) => names.map((name) => ({ node: { name }, digest: 'd' }) as never)

test('only waves with nodes that change are planned, each with the gates after it', () => {
  const division = {
    waves: [wave('canary'), wave('none'), wave('all')],
    waveOf: new Map([
      ['a', 0],
      ['b', 2],
      ['c', 2],
      ['d', undefined],
    ]),
  }
  expect(plannedWaves(changing('a', 'b', 'c', 'd'), { ...division, gates })).toEqual([
    { name: 'canary', soak: 5, manual: false, nodes: 1, gates: ['slo', 'smoke'] },
    { name: 'all', soak: 5, manual: true, nodes: 2, gates: ['slo', 'late'] },
  ])
})
