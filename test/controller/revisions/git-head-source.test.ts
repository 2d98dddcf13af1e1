import { expect, test } from 'vitest'
import { headEvent } from '../../../src/controller/revisions/git-head-source.ts'
import type { HeadEvent } from '../../../src/controller/revisions/head-source.ts'
import type { RefusalReason, RepoEvent } from '../../../src/gitsync/repo-event.ts'
import { aSnapshot } from '../a-snapshot.ts'

const refused = (reason: RefusalReason): RepoEvent => ({ type: 'refused', commit: 'abc', reason, message: 'why' })
const snapshot = aSnapshot('a')

test.each<readonly [what: string, event: RepoEvent, expected: HeadEvent]>([
  ['a head that may be used', { type: 'snapshot', snapshot }, { kind: 'head', snapshot }],
  [
    'a head that nobody trusted signed',
    refused('UntrustedCommit'),
    { kind: 'refused', commit: 'abc', reason: 'UntrustedCommit', message: 'why' },
  ],
  [
    'a head whose history was rewritten',
    refused('Rewritten'),
    { kind: 'refused', commit: 'abc', reason: 'InvalidRepository', message: 'why' },
  ],
  [
    'a read that failed',
    { type: 'trouble', error: new Error('no route'), failures: 2, retryAfter: 5 },
    { kind: 'trouble', message: 'no route' },
  ],
  ['a read that works again', { type: 'recovered' }, { kind: 'mended' }],
])('the controller hears of %s', (_, event, expected) => {
  expect(headEvent(event)).toEqual(expected)
})
