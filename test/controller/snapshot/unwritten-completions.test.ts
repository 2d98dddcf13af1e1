import { expect, test } from 'vitest'
import { unwrittenCompletions } from '../../../src/controller/snapshot/unwritten-completions.ts'
import type { Refusal } from '../../../src/controller/writes/write-failures.ts'
import type { HistoryEntry, NodePoolStatus } from '../../../src/protocol/node-pool.ts'

type Status = Partial<Pick<NodePoolStatus, 'target' | 'stable' | 'history'>>

const ref = (fingerprint: string) => ({ revision: `commit ${fingerprint}`, fingerprint })
const run = (fingerprint: string, result: HistoryEntry['result']): HistoryEntry => ({
  ...ref(fingerprint),
  startedAt: '2026-11-21T07:00:00.000Z',
  result,
})
const at = (target: string, ...history: readonly HistoryEntry[]): Status => ({ target: ref(target), stable: ref('new'), history })

/** The newest commit renders to `new`. */
function reasons(status: Status | undefined, refusals: readonly Refusal[] = []): (string | undefined)[] {
  const pools = new Map([['first', { fingerprint: 'new' }]])
  const written = new Map(status ? [['first', status]] : [])
  return [...unwrittenCompletions({ pools, written, refusals }).values()]
}

const NOT_YET = ['whose completion of it is not written yet']

test.each<readonly [what: string, status: Status | undefined, reasons: readonly string[]]>([
  ['its status says so', at('new', run('new', 'Completed')), []],
  ['it is on its way', at('new', run('new', 'Running')), NOT_YET],
  ['it is on its way back to what was stable all the time', at('new', run('new', 'Running'), run('old', 'Superseded')), NOT_YET],
  ['it completed another one last', at('old', run('old', 'Completed'), run('new', 'Completed')), NOT_YET],
  ['its status is empty', {}, NOT_YET],
  ['it has no object', undefined, NOT_YET],
])('the completion of a pool is written, or not, when %s', (_, status, expected) => {
  expect(reasons(status)).toEqual(expected)
})

test('the reason of an unwritten completion names what the server refuses when that is the status of the pool', () => {
  const refusals: Refusal[] = [
    { object: 'pool first', about: '', message: 'too large', isDue: false },
    { object: 'copy first', about: '', message: 'no copies', isDue: false },
  ]
  expect(reasons(at('new', run('new', 'Running')), refusals)).toEqual(['whose status cannot be written: too large'])
})
