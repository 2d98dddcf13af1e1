import { expect, test } from 'vitest'
import { runEnded } from '../../src/cli/controls/await-records.ts'
import type { HistoryEntry } from '../../src/protocol/node-pool.ts'

const ref = { revision: 'f'.repeat(40), fingerprint: 'content' }
const failed: HistoryEntry = { ...ref, startedAt: '2026-11-21T08:00:00Z', result: 'RolledBack', message: '"n0": no' }
const again: HistoryEntry = { ...failed, startedAt: '2026-11-21T09:00:00Z' }
const retried: HistoryEntry = { ...failed, retriedAt: '2026-11-21T09:00:00Z', result: 'Completed' }
const ended = { ok: false, message: 'fffffff RolledBack on "n0": no' }

test.each([
  ['of before the request is not its end', [failed], undefined],
  ['that began since is', [again, failed], ended],
  ['that goes on has no end', [{ ...again, result: 'Running' } as const, failed], undefined],
  ['that was retried since is', [retried], { ok: true, message: 'fffffff Completed on "n0": no' }],
])('a run %s', (_, history, expected) => {
  expect(runEnded(ref, [failed])({ history })).toEqual(expected)
})
