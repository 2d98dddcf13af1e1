import { expect, test } from 'vitest'
import { projectNodePool } from '../../src/controller/cache/node-pool-view.ts'
import { ReconcileRequests } from '../../src/controller/reconcile-requests.ts'

/** Pools by what stands in `reconcile-at`; undefined: nothing does. */
function pools(requests: Readonly<Record<string, string | undefined>>) {
  return Object.entries(requests).map(([name, at]) =>
    projectNodePool({ metadata: { name, ...(at !== undefined && { annotations: { 'nodewave.io/reconcile-at': at } }) } }),
  )
}

const [FIRST, SECOND] = ['2026-11-21T08:00:00Z', '2026-11-21T08:05:00Z']

test.each<readonly [what: string, isNew: boolean, requests: Readonly<Record<string, string | undefined>>]>([
  ['as it was at the start', false, { workers: FIRST, gpu: undefined }],
  ['of another time', true, { workers: SECOND, gpu: undefined }],
  ['of another pool beside it', true, { workers: FIRST, gpu: FIRST }],
  ['that was taken away', false, { workers: undefined, gpu: undefined }],
])('a request to reconcile %s is new: %j', (_, isNew, requests) => {
  expect(new ReconcileRequests(pools({ workers: FIRST, gpu: undefined })).isNew(pools(requests))).toBe(isNew)
})

test('a request to reconcile is new once', () => {
  const requests = new ReconcileRequests(pools({ workers: undefined }))
  expect([1, 2].map(() => requests.isNew(pools({ workers: FIRST })))).toEqual([true, false])
})
