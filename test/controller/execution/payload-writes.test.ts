import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { PayloadWrites } from '../../../src/controller/execution/payload-writes.ts'
import { WriteFailures } from '../../../src/controller/writes/write-failures.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { makePayload } from '../../../src/render/payload.ts'
import { FakeKube } from '../fake-kube.ts'

const flags = makePayload('workers', 'kubelet', { a: 'b' })
const secret = makePayload('workers', 'secret', { key: 'x' })

function someWrites({ withSecrets = false } = {}) {
  const [kube, failures] = [new FakeKube(), new WriteFailures()]
  const storeOf = (more: { readonly kind?: 'Secret' } = {}) => ({
    ...{ kube, namespace: 'nodewave-system', configMaps: new ObjectCache<StoredConfigMap>(() => undefined) },
    ...more,
  })
  const secrets = withSecrets ? storeOf({ kind: 'Secret' }) : undefined
  return { kube, failures, writes: new PayloadWrites({ store: storeOf(), secrets, failures, now: () => 0 }) }
}

const CREATED = `POST /api/v1/namespaces/nodewave-system/configmaps/${flags.name}`

test('a payload that several nodes wait for is written once', async () => {
  const { kube, writes } = someWrites()
  await Promise.all([writes.ensure([flags], 'abc'), writes.ensure([flags], 'abc')])
  await writes.ensure([flags], 'abc')
  expect(kube.requests).toEqual([CREATED])
})

test('a payload that was refused fails for all that wait, and is written by the next one that asks', async () => {
  const { kube, failures, writes } = someWrites()
  kube.failures.push({ on: 'POST', error: new KubeError('quota', { code: 403, reason: 'Forbidden' }) })
  const both = await Promise.allSettled([writes.ensure([flags], 'abc'), writes.ensure([flags], 'abc')])
  expect(both.map((each) => (each.status === 'rejected' ? String(each.reason) : each.status))).toEqual([
    `PayloadNotWritten: write payload "${flags.name}": quota`,
    `PayloadNotWritten: write payload "${flags.name}": quota`,
  ])
  expect(failures.refusals(0)).toMatchObject([{ object: `payload ${flags.name}`, about: 'workers', message: 'quota' }])
  await writes.ensure([flags], 'abc')
  expect([kube.requests, failures.refusals(0)]).toEqual([[CREATED, CREATED], []])
})

test('a secret payload is written as a Secret, and refused where the controller has no key for secrets', async () => {
  const { kube, writes } = someWrites({ withSecrets: true })
  await writes.ensure([secret, flags], 'abc')
  expect(kube.requests).toEqual([`POST /api/v1/namespaces/nodewave-system/secrets/${secret.name}`, CREATED])
  await expect(someWrites().writes.ensure([secret], 'abc')).rejects.toThrow(
    `write payload "${secret.name}": the controller writes no Secrets without --age-key-file`,
  )
})
