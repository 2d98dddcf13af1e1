import { expect, test } from 'vitest'
import { type CountedRequest, countedKube, resourceOf } from '../../../src/controller/metrics/counted-kube.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { FakeKube } from '../fake-kube.ts'

test.each([
  ['/api/v1/nodes', 'nodes'],
  ['/api/v1/nodes/n1', 'nodes'],
  ['/api/v1/namespaces/a', 'namespaces'],
  ['/api/v1/namespaces/a/pods/b/eviction', 'pods/eviction'],
  ['/apis/nodewave.io/v1alpha1/nodepools/workers/status', 'nodepools/status'],
  ['/apis/coordination.k8s.io/v1/namespaces/a/leases/b', 'leases'],
  ['/version', 'version'],
])('%s is a request for %s', (path, resource) => {
  expect(resourceOf(path)).toBe(resource)
})

test('requests are told of when they are answered, and those that are given up are not', async () => {
  const told: CountedRequest[] = []
  let elapsed = 0
  const answers: (() => Promise<never>)[] = [
    () => Promise.resolve({} as never),
    () => Promise.reject(new KubeError('too many', { code: 429, reason: 'TooManyRequests' })),
    () => Promise.reject(new Error('the caller gave up')),
  ]
  const create = async () => {
    elapsed += 1500
    return (answers.shift() ?? Promise.reject)()
  }
  const kube = countedKube(Object.assign(new FakeKube(), { create }), {
    elapsed: () => elapsed,
    told: (request) => told.push(request),
  })
  const evict = () => kube.create('/api/v1/namespaces/a/pods/b/eviction', {})
  await evict()
  await expect(evict()).rejects.toThrow('too many')
  await expect(evict()).rejects.toThrow('the caller gave up')
  expect(told).toEqual([
    { verb: 'create', resource: 'pods/eviction', code: 200, seconds: 1.5 },
    { verb: 'create', resource: 'pods/eviction', code: 429, seconds: 1.5 },
  ])
})
