/** What an API server keeps of the status of a NodePool: it drops, without a word, what the definition of the kind does not know. */
import { beforeAll, expect, test } from 'vitest'
import { NODEPOOL_API_VERSION, nodePoolsPath, projectNodePool } from '../../src/controller/cache/node-pool-view.ts'
import { nodePoolCrd } from '../../src/controller/crds/node-pool-crd.ts'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { contractServer } from './server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const server = await contractServer()

beforeAll(async () => {
  await server.send('POST', DEFINITIONS, { body: nodePoolCrd() })
  while ((await server.send('GET', nodePoolsPath())).code !== 200) await server.send('GET', '/readyz')
})

/** With every member, however deep: a new one has to be put into the status below. */
type Full<T> = T extends readonly (infer E)[]
  ? readonly Full<E>[]
  : T extends object
    ? { readonly [K in keyof T]-?: Full<T[K]> }
    : T

const at = '2026-11-21T08:00:00Z'
const ref = { revision: 'a'.repeat(40), fingerprint: 'v1:1', author: 'ada', subject: 'a newer kubelet' }
const approval = { value: 'aaaaaaa', fingerprint: 'v1:1', rollout: at }
const byPhase = {
  ...{ Current: 1, Soaking: 2, Proving: 3, Applying: 4, Assigned: 5, Draining: 6, Cordoned: 7, Waiting: 8 },
  ...{ Skipped: 9, Joining: 10, Failed: 11, Held: 12, Leaving: 13, Unreachable: 14, Unmanaged: 15, Rebooting: 16 },
}
const gateTimes = { since: at, askedAt: at, recordedAt: at }
const laterFailures = { nodes: ['a'], replaced: 2, since: at, uids: ['u1'] }
const losses = { nodes: [{ name: 'a', wave: 'canary', uid: 'u1' }], replaced: [{ name: 'b', wave: 'canary', uid: 'u2' }] }
const entry = { ...ref, startedAt: at, endedAt: at, message: '1 node failed', failures: 1 }
const status: Full<NodePoolStatus> = {
  observedGeneration: 1,
  observedRevision: ref.revision,
  acceptedRevision: ref.revision,
  target: ref,
  stable: ref,
  wave: { index: 1, count: 2, name: 'canary', opened: ['canary'], sizes: [{ name: 'canary', nodes: 3 }], soakedAt: at },
  nodes: { total: 120, current: 1, byPhase },
  failed: [{ node: 'a', reason: 'NotReady', message: 'node is not Ready' }],
  rejected: [ref],
  observedControls: { paused: 'a', fleetPaused: 'b', promoted: 'c', retry: 'd', rollback: 'e', reconcileAt: at },
  rollback: { to: ref, from: ref, who: 'ada', at },
  promotion: approval,
  fleetRetry: approval,
  rollbackTo: [ref],
  held: [{ node: 'b', reason: 'debugging', who: 'ada', at }],
  reboots: [{ node: 'c', state: 'Waiting', because: 'new firmware', since: at, who: 'ada', at }],
  controls: [{ action: 'Hold', value: 'debugging', nodes: ['b'], who: 'ada', at, outcome: 'Done', message: 'held' }],
  gates: [
    {
      ...{ name: 'errors', wave: 'canary', revision: ref.revision, rollout: at, check: 'a1', ...gateTimes },
      ...{ state: 'Waiting', unanswered: 1, value: 0.5, message: 'no answer', before: ['DaemonSet kube-system/cni 3'] },
      begun: true,
    },
  ],
  history: [{ ...entry, commits: ['b'], laterFailures, losses, abandoned: true, retriedAt: at, result: 'Halted' }],
  conditions: [
    {
      ...{ type: 'Ready', status: 'False', reason: 'Halted', message: '1 node failed', lastTransitionTime: at },
      observedGeneration: 1,
    },
  ],
  summary: { revision: 'aaaaaaa', wave: '1/2 canary', updated: '1/120', paused: 'Pool' },
}

test('every member of a status is kept by the API server, and read back by the controller', async () => {
  const [apiVersion, kind, metadata] = [NODEPOOL_API_VERSION, 'NodePool', { name: `${server.namespace}-workers` }]
  const pool = { apiVersion, kind, metadata, spec: { nodeSelector: { matchLabels: { pool: 'workers' } } } }
  const made = await server.send('POST', nodePoolsPath(), { body: pool })
  expect(made.code).toBe(201)
  const path = nodePoolsPath(metadata.name)
  const written = await server.send('PUT', `${path}/status`, { body: { ...made.body, status } })
  expect(written.code).toBe(200)
  expect(written.headers.warning).toBeUndefined()

  const { body } = await server.send('GET', path)
  await server.send('DELETE', path)
  expect(body.status).toEqual(status)
  expect(projectNodePool(body).status).toEqual(status)
})
