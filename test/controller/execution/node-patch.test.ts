import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import {
  assignPatch,
  byHandPatch,
  clearRebootPatch,
  cordonPatch,
  type NodePatch,
  restorePatch,
  signPatch,
  uncordonPatch,
} from '../../../src/controller/execution/node-patch.ts'
import type { RenderedConfig } from '../../../src/controller/fleet/compiled-fleet.ts'
import type { RestoreSettings } from '../../../src/controller/node-settings/restore-settings.ts'
import type { Assign } from '../../../src/controller/signing/sign-node.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { NodeSettings, Taint } from '../../../src/protocol/node-settings.ts'
import { noon } from '../../rollout/builders/instants.ts'

const names = namesFor()
const context = { names, resourceVersion: '7' }
const bare = projectNode(names)({ metadata: { name: 'n0', uid: 'u', resourceVersion: '7' } })
const assign: Assign = { kind: 'assign', node: 'n0', revision: 'abc', digest: 'd', grant: 'drain', at: noon }
const rendered: RenderedConfig = { kind: 'config', digest: 'd', content: {}, desired: { POOL: 'workers' }, payloads: [] }
const DESIRED = { POOL: 'workers', REVISION: 'abc', GRANT: 'drain', ASSIGNED: '2026-11-21T12:00:00.000Z', COUNTER: noon }

/** Of an assignment: annotations by the end of their names, JSON read. */
function assigned(more: { assign?: Partial<Assign>; rendered?: Partial<RenderedConfig>; node?: Partial<ClusterNode> } = {}) {
  const node = { ...bare, ...more.node }
  const patch = assignPatch(
    { ...assign, ...more.assign },
    { ...context, node, rendered: { ...rendered, ...more.rendered }, ceiling: undefined, now: noon },
  )
  return readable(patch)
}

function readable({ metadata: { annotations = {}, ...metadata }, ...rest }: NodePatch) {
  const read = Object.entries(annotations).map(([key, text]) => [key.replace('nodewave.io/', ''), text && JSON.parse(text)])
  return { ...metadata, annotations: Object.fromEntries(read), ...rest }
}

const ASSIGNED = { resourceVersion: '7', annotations: { 'desired-config': DESIRED }, labels: { 'nodewave.io/pool': 'workers' } }
const proof = { digest: 'd', assignedAt: noon, state: 'Wanted' } as const
const WANTED = { state: 'Wanted', digest: 'd', assignedAt: '2026-11-21T12:00:00.000Z' }
const taint: Taint = { key: 'gpu', effect: 'NoSchedule' }
const ofOthers = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }
const host = JSON.stringify({ node: { labels: { tier: 'gold' }, taints: [taint] } })

test.each<readonly [what: string, more: Parameters<typeof assigned>[0], annotations: object]>([
  ['alone', {}, {}],
  [
    'with a proof that is wanted',
    { assign: { proof: { podCapacity: 110 } } },
    { proof: { ...WANTED, podCapacity: 110, node: 'u' } },
  ],
  ['with no proof where an earlier one is noted', { node: { view: { ...bare.view, proof } } }, { proof: null }],
  [
    'with what its numbers were calculated from',
    { rendered: { from: { fingerprint: 'f', cpu: 4, memory: 8 } } },
    { 'rendered-from': { fingerprint: 'f', cpu: 4, memory: 8 } },
  ],
  ['with a reboot', { assign: { reboot: { boot: 'b1' } } }, { 'desired-config': { ...DESIRED, REBOOT: 'b1' } }],
  ['to a node that did not serve', { assign: { nodeWas: 'Unsound' } }, { 'desired-config': { ...DESIRED, NODE_WAS: 'Unsound' } }],
  [
    'to a node whose agent is silent',
    { assign: { nodeWas: 'Silent' } },
    { 'desired-config': { ...DESIRED, NODE_WAS: 'Silent' } },
  ],
  ['to a node that is down', { assign: { nodeWas: 'Down' } }, { 'desired-config': { ...DESIRED, NODE_WAS: 'Down' } }],
  [
    'to a node that its rollout took down',
    { assign: { nodeWas: 'Disturbed' } },
    { 'desired-config': { ...DESIRED, NODE_WAS: 'Disturbed' } },
  ],
  ['with a counter above the last one', { node: { counter: noon + 5 } }, { 'desired-config': { ...DESIRED, COUNTER: noon + 6 } }],
  [
    'with a counter above the one that its agent accepted',
    { node: { counter: noon, view: { ...bare.view, status: { phase: 'Applied', since: '', counter: noon + 8 } } } },
    { 'desired-config': { ...DESIRED, COUNTER: noon + 9 } },
  ],
  [
    'with what the node ran before',
    { node: { view: { ...bare.view, assigned: { digest: 'old', revision: 'before', pool: 'workers', grant: 'none', at: 5 } } } },
    { history: [{ revision: 'before', until: '2026-11-21T12:00:00.000Z', from: '1970-01-01T00:00:00.005Z' }] },
  ],
])('an assignment is written %s', (_, more, annotations) => {
  expect(assigned(more)).toEqual({ ...ASSIGNED, annotations: { ...ASSIGNED.annotations, ...annotations } })
})

test('an assignment of no pool leaves the label of the pool', () => {
  expect(assigned({ rendered: { desired: {} } }).labels).toEqual({})
})

test('an assignment writes labels and taints that Git names, and keeps the taints of others', () => {
  const patch = assigned({ rendered: { content: { host } }, node: { settings: { taints: [ofOthers] } } })

  expect(patch.labels).toEqual({ tier: 'gold', 'nodewave.io/pool': 'workers' })
  expect(patch.annotations['node-settings']).toEqual({ labels: ['tier'], taints: ['gpu:NoSchedule'] })
  expect(patch.spec).toEqual({ taints: [ofOthers, taint] })
})

test('a signature writes the annotation alone', () => {
  const patch = signPatch(
    { ...assign, kind: 'sign', pool: 'workers' },
    { ...context, node: bare, rendered, ceiling: undefined, now: noon },
  )

  expect(readable(patch)).toEqual({ resourceVersion: '7', annotations: { 'desired-config': DESIRED } })
})

const MARK = { digest: `v1:${'1'.repeat(64)}`, at: noon, state: 'Ours' } as const
const TEXT = `${MARK.digest}@2026-11-21T12:00:00.000Z`
const about = (key: string, value: string | null) => ({ resourceVersion: '7', annotations: { [`nodewave.io/${key}`]: value } })
const cordon = { kind: 'cordon', node: 'n0', mark: MARK } as const
const uncordon = { kind: 'uncordon', node: 'n0', lifts: true } as const
const byHand = { kind: 'allowByHand', node: 'n0' } as const

test.each<readonly [what: string, patch: NodePatch, expected: NodePatch]>([
  ['a cordon', cordonPatch(cordon, context), { metadata: about('cordoned-for', TEXT), spec: { unschedulable: true } }],
  [
    'a mark under the cordon of somebody else',
    cordonPatch({ ...cordon, mark: { ...MARK, state: 'Found' } }, context),
    { metadata: about('cordoned-for', `${TEXT} found`) },
  ],
  ['an uncordon', uncordonPatch(uncordon, context), { metadata: about('cordoned-for', null), spec: { unschedulable: null } }],
  [
    'an uncordon that lifts nothing',
    uncordonPatch({ ...uncordon, lifts: false }, context),
    { metadata: about('cordoned-for', null) },
  ],
  [
    'an uncordon that leaves a mark',
    uncordonPatch({ ...uncordon, mark: { ...MARK, state: 'Skipped' } }, context),
    { metadata: about('cordoned-for', `${TEXT} skipped`), spec: { unschedulable: null } },
  ],
  ['assignments by hand', byHandPatch({ ...byHand, allowed: true }, context), { metadata: about('by-hand', 'Allow') }],
  ['no assignments by hand', byHandPatch({ ...byHand, allowed: false }, context), { metadata: about('by-hand', null) }],
  [
    'no request for a reboot, nor who asked',
    clearRebootPatch(context),
    { metadata: { resourceVersion: '7', annotations: { 'nodewave.io/reboot': null, 'nodewave.io/reboot-by': null } } },
  ],
])('%s is written with the version that was read', (_, patch, expected) => {
  expect(patch).toEqual(expected)
})

const others = { ...bare, settings: { taints: [ofOthers, { ...taint, value: 'changed' }] } }
const restore: Omit<RestoreSettings, 'repair'> = {
  kind: 'restore',
  node: 'n0',
  pool: 'workers',
  settings: { labels: { tier: 'gold' }, taints: [taint] },
}

type Written = { readonly labels?: object; readonly annotations?: object; readonly spec?: object }

test.each<readonly [what: string, settings: NodeSettings, written: Written]>([
  ['the record alone when nothing is written again', {}, {}],
  ['a label', { labels: { tier: 'gold' } }, { labels: { tier: 'gold' } }],
  ['an annotation', { annotations: { team: 'a' } }, { annotations: { team: 'a' } }],
  ['a taint beside those of others', { taints: [taint] }, { spec: { taints: [ofOthers, taint] } }],
])('what others changed of a node is written again: %s', (_, settings, { annotations, spec, ...labels }) => {
  const record = JSON.stringify({ labels: ['tier'], taints: ['gpu:NoSchedule'] })
  const metadata = { ...labels, resourceVersion: '7', annotations: { ...annotations, 'nodewave.io/node-settings': record } }

  expect(restorePatch({ ...restore, repair: { settings, history: {} } }, { ...context, node: others })).toEqual({
    metadata,
    ...(spec && { spec }),
  })
})
