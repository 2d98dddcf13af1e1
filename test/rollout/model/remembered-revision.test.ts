import { expect, test } from 'vitest'
import { completionOf } from '../../../src/rollout/model/remembered-revision.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const completed = (revision: string) => aRollout(revision, { result: 'Completed' })

test('content completed where it did last, also where nothing came after it', () => {
  const history = [completed('new'), { ...completed('older'), abandoned: true as const }, completed('new')]

  expect(completionOf(history, aRef('new'))).toEqual({ index: 0, abandoned: false })
  expect(completionOf(history, aRef('older'))).toEqual({ index: 1, abandoned: true })
  expect(completionOf(history, aRef('another'))).toBeUndefined()
})
