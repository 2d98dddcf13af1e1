import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'

interface Draft {
  readonly annotations?: Readonly<Record<string, string>>
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
}

function viewOf({ annotations = {}, metadata, spec = {}, status = {} }: Draft): NodeView {
  const own = Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`nodewave.io/${key}`, text]))
  return projectNode(namesFor())({ metadata: { name: 'n0', annotations: own, ...metadata }, spec, status }).view
}

const AT = '2026-11-21T12:00:00Z'
const INSTANT = Date.parse(AT)
const started = (kubeletStartedAt: string) => ({ status: JSON.stringify({ phase: 'Applied', since: AT, kubeletStartedAt }) })
const ready = (more: object) => ({ status: { conditions: [{ type: 'Ready', status: 'True', ...more }] } })
const pressure = (type: string, status: string) => ({ status: { conditions: [{ type, status, lastTransitionTime: AT }] } })
const images = (...names: readonly string[]) => ({ status: { images: [{}, { names }] } })
const desired = (config: object) => ({ annotations: { 'desired-config': JSON.stringify(config) } })
const [PAUSE, PINNED] = ['registry.k8s.io/pause:3.10', `registry.k8s.io/pause@sha256:${'1'.repeat(64)}`]
const OWN = { DIGEST: `v1:${'1'.repeat(64)}`, POOL: 'workers', REVISION: 'abc' }

test.each<readonly [what: string, draft: Draft, view: Partial<NodeView>]>([
  ['that says nothing', {}, { ready: false, readySince: 0, createdAt: 0, unschedulable: false, assignedByHand: false, zone: '' }],
  ['that is Ready', ready({ lastTransitionTime: AT }), { ready: true, readySince: INSTANT, silent: undefined }],
  ['that is not Ready', ready({ status: 'False' }), { ready: false, silent: undefined }],
  ['of which nothing is heard', ready({ status: 'Unknown' }), { ready: false, silent: true }],
  ['that was created', { metadata: { creationTimestamp: AT } }, { createdAt: INSTANT, readySince: INSTANT, leaving: undefined }],
  ['that is being deleted', { metadata: { deletionTimestamp: AT } }, { leaving: true }],
  ['that is cordoned', { spec: { unschedulable: true } }, { unschedulable: true }],
  [
    'whose machine is off',
    { spec: { taints: [{ key: 'x' }, { key: 'node.kubernetes.io/out-of-service' }] } },
    { shutDown: true },
  ],
  ['with another taint', { spec: { taints: [{ key: 'x' }] } }, { shutDown: undefined }],
  ['under pressure', pressure('DiskPressure', 'True'), { pressures: [{ type: 'DiskPressure', since: INSTANT }] }],
  ['without pressure', pressure('DiskPressure', 'False'), { pressures: undefined }],
  ['with another condition', pressure('NetworkUnavailable', 'True'), { pressures: undefined }],
  ['with a boot', { status: { nodeInfo: { bootID: 'b1' } } }, { bootId: 'b1' }],
  ['with an empty boot', { status: { nodeInfo: { bootID: '' } } }, { bootId: undefined }],
  ['that takes 110 pods', { status: { allocatable: { pods: '110' } } }, { podCapacity: 110 }],
  ['that does not say how many', { status: { allocatable: {} } }, { podCapacity: undefined }],
  ['that is held', { annotations: { hold: 'broken fan' } }, { hold: 'broken fan' }],
  ['that may be assigned by hand', { annotations: { 'by-hand': 'Allow' } }, { byHandAllowed: true }],
  ['with another word there', { annotations: { 'by-hand': 'Deny' } }, { byHandAllowed: undefined }],
  ['with no image', images(), { pauseImage: undefined }],
  ['with another image', images('docker.io/library/nginx:1'), { pauseImage: undefined }],
  ['with a pause image', images(PAUSE), { pauseImage: PAUSE }],
  ['with one by digest and by tag', images(PINNED, PAUSE), { pauseImage: PAUSE }],
  ['with one by digest alone', images(PINNED), { pauseImage: PINNED }],
  [
    'with one whose name is as long as a fact',
    images(`${'x'.repeat(245)}/pause:3.10`),
    { pauseImage: `${'x'.repeat(245)}/pause:3.10` },
  ],
  ['with one whose name is longer', images(`${'x'.repeat(246)}/pause:3.10`), { pauseImage: undefined }],
  ['that we assigned', desired(OWN), { assignedByHand: false, assigned: { ...assignedOf(), at: undefined } }],
  ['that we assigned at an instant', desired({ ...OWN, ASSIGNED: AT }), { assigned: { ...assignedOf(), at: INSTANT } }],
  [
    'assigned at the epoch',
    desired({ ...OWN, ASSIGNED: '1970-01-01T00:00:00Z' }),
    { assigned: { ...assignedOf(), at: undefined } },
  ],
  [
    'assigned when it did not serve',
    desired({ ...OWN, NODE_WAS: 'Unsound' }),
    { assigned: { ...assignedOf(), at: undefined, nodeWas: 'Unsound' } },
  ],
  [
    'assigned when its agent was silent',
    desired({ ...OWN, NODE_WAS: 'Silent' }),
    { assigned: { ...assignedOf(), at: undefined, nodeWas: 'Silent' } },
  ],
  [
    'assigned when it was down',
    desired({ ...OWN, NODE_WAS: 'Down' }),
    { assigned: { ...assignedOf(), at: undefined, nodeWas: 'Down' } },
  ],
  [
    'assigned when its rollout had taken it down',
    desired({ ...OWN, NODE_WAS: 'Disturbed' }),
    { assigned: { ...assignedOf(), at: undefined, nodeWas: 'Disturbed' } },
  ],
  ['that somebody assigned without DIGEST', desired({ POOL: 'workers' }), { assignedByHand: true, assigned: undefined }],
  ['that somebody assigned without POOL', desired({ DIGEST: OWN.DIGEST }), { assignedByHand: true, assigned: undefined }],
  ['with an assignment that is none', { annotations: { 'desired-config': '{' } }, { assignedByHand: true, assigned: undefined }],
])('a Node %s is seen as such', (_, draft, view) => {
  expect(viewOf(draft)).toMatchObject(view)
})

function assignedOf() {
  return { digest: OWN.DIGEST, revision: 'abc', pool: 'workers', grant: 'restart', reboot: undefined } as const
}

test.each<readonly [what: string, isStale: true | undefined, heartbeat: string | undefined, kubelet: string | undefined]>([
  ['before its kubelet began', true, '2026-11-21T11:59:59Z', AT],
  ['in the second in which its kubelet began', undefined, AT, '2026-11-21T12:00:00.900Z'],
  ['after its kubelet began', undefined, '2026-11-21T12:00:01Z', AT],
  ['at no time', undefined, undefined, AT],
  ['when nobody says when its kubelet began', undefined, AT, undefined],
])('Ready of a node that was last heard %s is stale: %s', (_, isStale, lastHeartbeatTime, kubelet) => {
  const draft = { ...ready({ lastHeartbeatTime }), ...(kubelet !== undefined && { annotations: started(kubelet) }) }
  expect(viewOf(draft).staleReady).toBe(isStale)
})
