import { expect, test } from 'vitest'
import { conclude } from '../../../src/agent/loop/conclude.ts'
import type { Outcome } from '../../../src/agent/state/state.ts'
import type { TransactionHead } from '../../../src/agent/transaction/journal.ts'

const HEAD: TransactionHead = {
  at: 'begin',
  id: 't1',
  purpose: 'apply',
  digest: 'v1:a',
  activation: { reload: false, restarts: [] },
  proof: { ready: true, within: 30_000 },
  before: { healthy: true },
}
const WORKING: Outcome = { assignment: '{}', digest: 'v1:a', phase: 'Applying', since: 'then', attempts: 1 }
const failure = { reason: 'HealthCheckFailed', message: 'no' }
const interruption = { reason: 'Interrupted', message: 'killed' }
const at = (last: Outcome = WORKING) => ({ last, now: 'now' })

test.each([
  ['is kept', HEAD, { kind: 'kept' } as const, 'Applied'],
  ['is kept and leads to the local configuration', { ...HEAD, digest: undefined }, { kind: 'kept' } as const, 'Reverted'],
  ['is undone', HEAD, { kind: 'undone', failure } as const, 'RolledBack'],
  ['cannot be undone', HEAD, { kind: 'broken', failure } as const, 'Failed'],
  ['is a fallback and kept', { ...HEAD, purpose: 'fallback' as const }, { kind: 'kept' } as const, 'RolledBack'],
  ['is a fallback that does not work', { ...HEAD, purpose: 'fallback' as const }, { kind: 'undone', failure } as const, 'Failed'],
])('outcome of a transaction that %s', (_, head, ending, phase) => {
  const { digest, ...rest } = head
  const last = head.purpose === 'fallback' ? { ...WORKING, phase: 'Applied' as const } : WORKING
  const outcome = conclude(digest === undefined ? rest : { ...rest, digest }, ending, at(last))

  expect(outcome).toMatchObject({ phase, since: 'now' })
})

test('outcome of an interruption stays open twice and is final the third time', () => {
  const attempts = [1, 2, 3].map((count) =>
    conclude(HEAD, { kind: 'undone', failure: interruption }, at({ ...WORKING, attempts: count })),
  )

  expect(attempts.map(({ phase, since }) => `${phase} ${since}`)).toEqual(['Applying then', 'Applying then', 'RolledBack now'])
})

test('outcome of an interruption stays open when the attempts before it ended in outages of the API server', () => {
  const ending = { kind: 'undone' as const, failure: interruption }

  expect(conclude(HEAD, ending, at({ ...WORKING, attempts: 3, losses: 2 }))).toMatchObject({ phase: 'Applying' })
  expect(conclude(HEAD, ending, at({ ...WORKING, attempts: 5, losses: 2 }))).toMatchObject({ phase: 'RolledBack' })
})

test('outcome of a fallback tells why it came to it', () => {
  const because = { reason: 'TrialFailed', message: 'went bad' }

  const last = { ...WORKING, phase: 'Applied' as const }

  expect(conclude({ ...HEAD, purpose: 'fallback', because }, { kind: 'kept' }, at(last)).error).toEqual(because)
})

test('outcome of a fallback leaves what is being fetched for a newer assignment as it is', () => {
  const fetching = { ...WORKING, assignment: '{"new":true}', phase: 'Fetching' as const }

  expect(conclude({ ...HEAD, purpose: 'fallback' }, { kind: 'kept' }, at(fetching))).toEqual(fetching)
  expect(conclude({ ...HEAD, purpose: 'fallback' }, { kind: 'undone', failure }, at(fetching))).toEqual(fetching)
})

test('outcome of a change that was put back, with a kubelet that is not healthy yet, is Failed for now', () => {
  const before = { healthy: true, healthz: 'http://x', running: ['a.service'] }

  expect(conclude({ ...HEAD, before }, { kind: 'unproved', failure }, at())).toMatchObject({
    phase: 'Failed',
    unproved: { healthz: 'http://x', units: ['a.service'] },
  })
})

test('outcome is not changed by a repair, nor by a fallback that was interrupted', () => {
  const applied: Outcome = { ...WORKING, phase: 'Applied' }

  expect(conclude({ ...HEAD, purpose: 'repair' }, { kind: 'undone', failure }, at(applied))).toEqual(applied)
  expect(conclude({ ...HEAD, purpose: 'fallback' }, { kind: 'undone', failure: interruption }, at(applied))).toEqual(applied)
})

test('outcome of success carries no error and no need of what was before', () => {
  const outcome = conclude(HEAD, { kind: 'kept' }, at({ ...WORKING, error: failure, needs: 'drain' }))

  expect(outcome).not.toHaveProperty('error')
  expect(outcome).not.toHaveProperty('needs')
})
