/** The kind Ceiling on an API server, and who may write it; the embedded one checks no names by CEL, and authorizes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CEILINGS_PATH, type CeilingView, projectCeiling } from '../../src/controller/cache/ceiling-schema.ts'
import { ConfirmedCeilings } from '../../src/controller/cache/confirmed-ceilings.ts'
import { followCollection } from '../../src/controller/cache/follow-collection.ts'
import { ObjectCache } from '../../src/controller/cache/object-cache.ts'
import { systemClock } from '../../src/controller/clock/system-clock.ts'
import { ceilingCrd } from '../../src/controller/crds/ceiling-crd.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { applyManifests, deleteManifests, readManifests } from './manifests.ts'
import { as, identityOf } from './policy-identities.ts'
import { contractServer } from './server.ts'

const isReal = process.env.NODEWAVE_CONTRACT === 'real'
if (!isReal)
  console.warn('left out: the rights in test/contract/ceilings.test.ts, because the embedded API server authorizes nothing')

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** The account itself keeps its name. */
const SUBJECT = '"kind":"ServiceAccount","name":"ceilings-controller"'
const OWN_SUBJECT = '"kind":"ServiceAccount","name":"nodewave-controller"'
const server = await contractServer()
const spec = { rules: [{ maxUnavailable: '20%', firstWave: { nodes: 3, soak: '10m' }, forbiddenPaths: ['/root'] }] }
const ceiling = (name: string) => ({ apiVersion: 'nodewave.io/v1alpha1', kind: 'Ceiling', metadata: { name }, spec })

beforeAll(async () => {
  await server.send('POST', DEFINITIONS, { body: ceilingCrd() })
  while ((await server.send('GET', CEILINGS_PATH)).code !== 200) await server.send('GET', '/readyz')
})
afterAll(() => server.send('DELETE', `${DEFINITIONS}/ceilings.nodewave.io`))

test('a Ceiling is kept as it was written, and read by the controller', async () => {
  expect((await server.send('POST', CEILINGS_PATH, { body: ceiling('fleet') })).code).toBe(201)
  const { body } = await server.send('GET', `${CEILINGS_PATH}/fleet`)
  expect(body.spec).toEqual(spec)
  expect(projectCeiling(body).ceiling.unreadable).toBeUndefined()
})

/** Until the cache tells of another change. */
function followed() {
  const [signals, stop] = [[Promise.withResolvers<void>()], new AbortController()]
  const changed = () => {
    signals.at(-1)?.resolve()
    signals.push(Promise.withResolvers())
  }
  const ceilings = new ObjectCache<CeilingView>(changed)
  const options = {
    kube: createKubeClient(server.connection),
    clock: systemClock,
    log: () => undefined,
    signal: stop.signal,
    changed,
  }
  const cache = new ConfirmedCeilings({ ...options, ceilings })
  const onRefused = (error: unknown) => cache.refused(error)
  const synced = followCollection(options, { path: CEILINGS_PATH, cache, project: projectCeiling, onRefused })
  const until = async (wanted: (view: CeilingView | undefined) => boolean) => {
    while (!wanted(ceilings.get('fleet'))) await signals.at(-1)?.promise
    return ceilings.get('fleet')
  }
  return { synced, until, [Symbol.dispose]: () => stop.abort() }
}

test('a Ceiling that is deleted is gone; one whose kind is deleted cannot be read, until the kind is back', async () => {
  using ceilings = followed()
  await ceilings.synced
  const path = `${CEILINGS_PATH}/fleet`
  if ((await server.send('GET', path)).code !== 200) await server.send('POST', CEILINGS_PATH, { body: ceiling('fleet') })
  await ceilings.until((view) => view?.ceiling.unreadable === undefined && view !== undefined)
  await server.send('DELETE', path)
  await ceilings.until((view) => view === undefined)
  await server.send('POST', CEILINGS_PATH, { body: ceiling('fleet') })
  await ceilings.until((view) => view !== undefined)
  await server.send('DELETE', `${DEFINITIONS}/ceilings.nodewave.io`)
  const unreadable = await ceilings.until((view) => view?.ceiling.unreadable !== undefined || view === undefined)
  expect(unreadable?.ceiling.remedy).toContain('deploy/crds/ceilings.yaml')
  // The name is free once the server has ended what it began.
  while ((await server.send('POST', DEFINITIONS, { body: ceilingCrd() })).code !== 201) await server.send('GET', '/readyz')
  await ceilings.until((view) => view === undefined)
})

describe.runIf(isReal)('who may write a Ceiling', () => {
  let roles: Awaited<ReturnType<typeof readManifests>>
  beforeAll(async () => {
    const kinds = ['ClusterRole', 'ClusterRoleBinding']
    const ours = (await readManifests('controller-rbac.yaml')).filter(({ kind }) => kinds.includes(kind))
    // Under a name of their own: other files apply and delete the manifests, too.
    roles = JSON.parse(
      JSON.stringify(ours)
        .replaceAll('"name":"nodewave-controller"', '"name":"ceilings-controller"')
        .replaceAll(SUBJECT, OWN_SUBJECT),
    )
    await applyManifests(server, roles)
    const headers = as(identityOf('controller'))
    while ((await server.send('GET', CEILINGS_PATH, { headers })).code !== 200) await server.send('GET', '/readyz')
    await server.send('POST', CEILINGS_PATH, { body: ceiling('fleet') })
  })
  afterAll(() => deleteManifests(server, roles))

  test('only the name "fleet" is accepted', async () => {
    expect((await server.send('POST', CEILINGS_PATH, { body: ceiling('other') })).code).toBe(422)
  })

  test.each(['controller', 'an operator', 'the kubelet of the node', "a CNI's service account"])('%s may not', async (name) => {
    const headers = as(identityOf(name))
    const path = `${CEILINGS_PATH}/fleet`
    const merge = { 'content-type': 'application/merge-patch+json', ...headers }
    const answers = [
      await server.send('PATCH', path, { body: { spec: { rules: [] } }, headers: merge }),
      await server.send('DELETE', path, { headers }),
      await server.send('POST', CEILINGS_PATH, { body: ceiling('fleet'), headers }),
    ]
    expect(answers.map(({ code }) => code)).toEqual([403, 403, 403])
  })
})
