import { expect, test } from 'vitest'
import { type NodeEvidence, nodeComplaint } from '../../../src/agent/health/node-complaint.ts'

const STARTED = Date.parse('2026-11-22T10:00:05.400Z')
const DEMANDS = { ready: true, heartbeat: true }
const shows = (heartbeat: string | undefined, { ready = true, lease = undefined as string | undefined } = {}): NodeEvidence => ({
  node: {
    name: 'a',
    uid: 'u',
    version: '1',
    arch: 'amd64',
    annotations: {},
    labels: {},
    ready,
    heartbeat: heartbeat === undefined ? undefined : Date.parse(heartbeat),
    kubeletVersion: 'v1.36.3',
  },
  leaseRenewed: lease === undefined ? undefined : Date.parse(lease),
})

test('Node has nothing against a kubelet that reported Ready after its start', () => {
  expect(nodeComplaint(shows('2026-11-22T10:00:06Z'), DEMANDS, STARTED)).toBeUndefined()
})

test('Node that is Ready by a heartbeat older than the kubelet proves nothing', () => {
  expect(nodeComplaint(shows('2026-11-22T10:00:04Z'), DEMANDS, STARTED)).toBe(
    'the kubelet has not reported to Node "a" since its start at 2026-11-22T10:00:05.400Z (last heartbeat: 2026-11-22T10:00:04.000Z); a wrong hostname-override, node-ip or kubeconfig does this',
  )
  expect(nodeComplaint(shows(undefined), DEMANDS, STARTED)).toContain('last heartbeat: none')
})

test('heartbeat of the second of the start counts when the Lease was renewed since, or is not there', () => {
  const heartbeat = '2026-11-22T10:00:05Z'

  expect(nodeComplaint(shows(heartbeat, { lease: '2026-11-22T10:00:05.100Z' }), DEMANDS, STARTED)).toContain('has not reported')
  expect(nodeComplaint(shows(heartbeat, { lease: '2026-11-22T10:00:05.800Z' }), DEMANDS, STARTED)).toBeUndefined()
  expect(nodeComplaint(shows(heartbeat), DEMANDS, STARTED)).toBeUndefined()
})

test('Node complains of a kubelet that does not serve where it did, and of no other', () => {
  const evidence = shows('2026-11-22T10:00:06Z')
  const node = { ...evidence.node, endpoint: { address: '10.0.0.9', port: 10250 } }
  const silent = { ...evidence, node, served: { ok: false, detail: 'connect ECONNREFUSED' } }

  expect(nodeComplaint(silent, { ...DEMANDS, served: true }, STARTED)).toBe(
    'the kubelet does not serve at 10.0.0.9 port 10250, where the API server comes for logs, exec and metrics: connect ECONNREFUSED',
  )
  expect(nodeComplaint(silent, DEMANDS, STARTED)).toBeUndefined()
  expect(nodeComplaint({ ...silent, served: { ok: true, detail: '' } }, { ...DEMANDS, served: true }, STARTED)).toBeUndefined()
  expect(nodeComplaint(evidence, { ...DEMANDS, served: true }, STARTED)).toBeUndefined()
})

test('Node complains of what is demanded of it and of nothing else', () => {
  const notReady = shows('2026-11-22T10:00:06Z', { ready: false })

  expect(nodeComplaint(notReady, DEMANDS, STARTED)).toBe('the Node is not Ready')
  expect(nodeComplaint(notReady, { ...DEMANDS, ready: false }, STARTED)).toBeUndefined()
  expect(nodeComplaint(shows(undefined), { ready: true }, STARTED)).toBeUndefined()
  expect(nodeComplaint(shows('2026-11-22T10:00:06Z'), { ...DEMANDS, version: '1.36.4' }, STARTED)).toBe(
    'the Node reports kubelet "v1.36.3", expected "1.36.4"',
  )
})
