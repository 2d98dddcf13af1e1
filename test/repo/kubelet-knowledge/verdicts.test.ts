import { expect, test } from 'vitest'
import { KNOWN_VERSIONS } from '../../../src/repo/kubelet-knowledge/versions.ts'
import { judged } from './judged.ts'
import type { Question } from './questions.ts'
import verdicts from './verdicts.json' with { type: 'json' }

type Row = readonly [Question, refusedBy: readonly string[]]
const ROWS = verdicts.rows as unknown as readonly Row[]
const EVICTION = verdicts.eviction.rows as unknown as readonly Row[]

test.each(KNOWN_VERSIONS)('validate refuses what kubelet %s does not start with, and nothing else', (version) => {
  expect(differing(ROWS, version)).toEqual([])
})

test.each(verdicts.eviction.asked)(
  'validate refuses the thresholds that kubelet %s does not start with, and no others',
  (version) => {
    expect(differing(EVICTION, version)).toEqual([])
  },
)

test('the questions are such that a kubelet refuses hundreds and takes hundreds', () => {
  const refused = ROWS.filter(([, refusedBy]) => refusedBy.includes('1.36.3')).length
  expect(refused).toBeGreaterThan(400)
  expect(ROWS.length - refused).toBeGreaterThan(400)
})

function differing(rows: readonly Row[], version: string): unknown[] {
  return rows.flatMap(([question, refusedBy]) => {
    const messages = judged(question, version)
    const isRefused = refusedBy.includes(version)
    return messages === 'stricter' || messages.length > 0 === isRefused ? [] : [{ ...question, isRefused, messages }]
  })
}
