import { expect, test } from 'vitest'
import { type KubeApi, KubeError } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import { aStage } from './stage.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/nodewave-system/roles'
const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'
const TEN_MINUTES = 10 * 60_000

test('a Role that somebody deletes is back within ten minutes though nothing else happens', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))
  await stage.kube.delete(`${ROLES}/nodewave-node-n0`)
  await stage.until(ROLES, (roles) => !roles.has('nodewave-node-n0'))

  const back = stage.until(ROLES, (roles) => roles.has('nodewave-node-n0'))
  const roles = await stage.clock.passUntil(back, { atMost: TEN_MINUTES })
  expect([...roles.keys()]).toEqual(['nodewave-node-n0'])
})

test('a payload that the server refuses to delete keeps no node from its Role', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  const labels = { 'app.kubernetes.io/managed-by': 'nodewave', 'nodewave.io/kind': 'kubelet' }
  await stage.kube.create(MAPS, { metadata: { name: 'old', labels } })
  const client = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  const kube: KubeApi = {
    ...client,
    async patch(path, body, options) {
      if (path === `${MAPS}/old`) throw new KubeError('kept by a webhook', { code: 403, reason: 'Forbidden' })
      return client.patch(path, body, options)
    },
  }
  stage.startController({ kube })
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed('a'.repeat(40))
  await stage.kube.delete(`${ROLES}/nodewave-node-n0`)
  await stage.until(ROLES, (roles) => !roles.has('nodewave-node-n0'))

  const back = stage.until(ROLES, (roles) => roles.has('nodewave-node-n0'))
  const roles = await stage.clock.passUntil(back, { atMost: TEN_MINUTES })
  expect([...roles.keys()]).toEqual(['nodewave-node-n0'])
})
