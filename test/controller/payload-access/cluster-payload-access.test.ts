import { expect, test } from 'vitest'
import type { StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import { bindingCache } from '../../../src/controller/cache/binding-cache.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { payloadAccess } from '../../../src/controller/payload-access/cluster-payload-access.ts'
import { FakeKube } from '../fake-kube.ts'

const namespace = 'nodewave-system'
const ROLE = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/nodewave-payload-common`

/** Ten nodes are about to be assigned the payload; the cluster has it with this uid, as one of both kinds. */
async function askedByTen(readable: 'configmaps/common' | 'secrets/common', uid?: string): Promise<FakeKube> {
  const kube = new FakeKube()
  const roles = new ObjectCache<StoredAccess>(nothing)
  const [payloads, secrets] = [new ObjectCache<StoredConfigMap>(nothing), new ObjectCache<StoredConfigMap>(nothing)]
  const metadata = { name: 'common', namespace, resourceVersion: '1', ...(uid !== undefined && { uid }) }
  const cache = readable === 'secrets/common' ? secrets : payloads
  cache.observe({ type: 'upsert', item: projectConfigMap({ metadata }) })
  const cluster = { roles, bindings: bindingCache(nothing), payloads, secrets }
  const access = payloadAccess({ kube, namespace, cluster })
  for (let index = 0; index < 10; index++) await access.ensure({ name: `n${index}`, uid: 'u', payloads: [] }, [readable])
  return kube
}

test.each(['configmaps/common', 'secrets/common'] as const)(
  'the Role of %s belongs to the object that the watch shows',
  async (readable) => {
    const kube = await askedByTen(readable, 'p1')
    expect(kube.objects.get(ROLE)?.metadata.ownerReferences).toMatchObject([{ uid: 'p1' }])
  },
)

test('a payload that has no uid yet gets no Role of its own', async () => {
  const kube = await askedByTen('configmaps/common')
  expect(kube.objects.has(ROLE)).toBe(false)
})

function nothing(): void {}
