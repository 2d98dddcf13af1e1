import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import type { StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { RevisionError } from '../../../src/controller/revisions/revision-error.ts'
import { RevisionSecrets } from '../../../src/controller/revisions/revision-secrets.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { revisionSecretName } from '../../../src/protocol/names.ts'
import { FakeKube } from '../fake-kube.ts'

const REVISION = `${'a'.repeat(40)}+1a2b3c4d`
const NAME = revisionSecretName(REVISION)
const PATH = `/api/v1/namespaces/nodewave-revisions/secrets/${NAME}`

function someSecrets() {
  const kube = new FakeKube()
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  return { kube, secrets: new RevisionSecrets({ kube, namespace: 'nodewave-revisions', configMaps, kind: 'Secret' }) }
}

test('what a revision took from Secrets is loaded as it was put, byte for byte', async () => {
  const { secrets } = someSecrets()
  const values = new Map([['tls/key', { bytes: Buffer.from([0xff, 0x00]), hash: 'h' }]])
  await secrets.put(REVISION, values)
  expect(await secrets.load(REVISION)).toEqual(values)
})

const keep = (text: string) => ({ contents: Buffer.from(text).toString('base64') })

test.each<readonly [what: string, data: Readonly<Record<string, string>> | undefined]>([
  ['has no data', undefined],
  ['has other keys', { other: 'x' }],
  ['is no JSON', keep('secret words')],
  ['has another form', keep('{"tls/key":{"base64":"/w==","hash":"h","more":1}}')],
])('a Secret that %s is unreadable, and nothing of it is quoted', async (_, data) => {
  const { kube, secrets } = someSecrets()
  kube.put(PATH, { metadata: { name: NAME }, ...(data && { data }) })
  await expect(secrets.load(REVISION)).rejects.toThrow(
    new RevisionError(`Secret "${NAME}" of revision "${REVISION}" is unreadable`),
  )
})

test('a Secret that is not kept is an error that names it, and a server that is away is none of the revision', async () => {
  const { kube, secrets } = someSecrets()
  await expect(secrets.load(REVISION)).rejects.toThrow(
    new RevisionError(`Secret "${NAME}" is not kept in namespace "nodewave-revisions"`),
  )
  kube.failures.push({ on: 'GET', error: new KubeError('away', { code: 503, reason: 'Unavailable' }) })
  await expect(secrets.load(REVISION)).rejects.toThrow(KubeError)
})
