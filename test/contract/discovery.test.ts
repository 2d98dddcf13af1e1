import { expect, test } from 'vitest'
import type { Body } from './raw-client.ts'
import { contractServer } from './server.ts'

const server = await contractServer()
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

test('the server is alive, ready and has a version', async () => {
  for (const path of ['/healthz', '/livez', '/readyz'])
    expect(await server.send('GET', path)).toMatchObject({ code: 200, text: 'ok' })
  expect((await server.send('GET', '/version')).body).toMatchObject({
    major: '1',
    gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
  })
})

test('the core group lists nodes with their status, and the eviction of pods', async () => {
  const { body } = await server.send('GET', '/api/v1')
  const find = (name: string) => body.resources.find((resource: Body) => resource.name === name)

  expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
  expect(find('nodes')).toMatchObject({
    singularName: 'node',
    namespaced: false,
    kind: 'Node',
    shortNames: ['no'],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  })
  expect(find('nodes/status')).toMatchObject({ kind: 'Node', verbs: ['get', 'patch', 'update'] })
  expect(find('pods/eviction')).toMatchObject({ kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] })
})

test('groups are listed with the version to prefer', async () => {
  const { body } = await server.send('GET', '/apis')
  const { apiVersion, kind, ...group } = (await server.send('GET', '/apis/policy')).body

  expect([apiVersion, kind]).toEqual(['v1', 'APIGroup'])
  expect(group).toEqual({
    name: 'policy',
    versions: [{ groupVersion: 'policy/v1', version: 'v1' }],
    preferredVersion: { groupVersion: 'policy/v1', version: 'v1' },
  })
  expect(body.groups).toContainEqual(group)
})

test('aggregated discovery tells all of it at once', async () => {
  const { headers, body } = await server.send('GET', '/api', { headers: { accept: `${AGGREGATED},application/json` } })
  const [core] = body.items
  const pods = core.versions[0].resources.find(({ resource }: Body) => resource === 'pods')

  expect(headers['content-type']).toBe(AGGREGATED)
  expect([body.kind, body.apiVersion]).toEqual(['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2'])
  expect(pods).toMatchObject({
    responseKind: { group: '', version: '', kind: 'Pod' },
    scope: 'Namespaced',
    singularResource: 'pod',
    shortNames: ['po'],
    categories: ['all'],
  })
  expect(pods.subresources).toContainEqual({
    subresource: 'eviction',
    responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    verbs: ['create'],
  })
})

test('OpenAPI says of each kind that its patches can be validated by the server', async () => {
  const { body } = await server.send('GET', '/openapi/v3')
  const document = (await server.send('GET', body.paths['api/v1'].serverRelativeURL)).body
  const { patch } = document.paths['/api/v1/nodes/{name}']

  expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Node' })
  expect(patch.parameters.map(({ name }: Body) => name)).toContain('fieldValidation')
  expect(document.components.schemas['io.k8s.api.core.v1.Node']['x-kubernetes-group-version-kind']).toEqual([
    { group: '', version: 'v1', kind: 'Node' },
  ])
})

test('one who asks what he may do is told, as an administrator, everything', async () => {
  const body = { spec: { resourceAttributes: { verb: 'delete', resource: 'nodes' } } }
  const { code, body: answer } = await server.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body })

  expect([code, answer.status.allowed]).toEqual([201, true])
})
