import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import type { CompiledPool } from '../../../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { runningContent, wantedBy } from '../../../src/controller/snapshot/node-targets.ts'
import { formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const names = namesFor()
const project = projectNode(names)
const [before, after] = [`v1:${'a'.repeat(64)}`, `v1:${'b'.repeat(64)}`]

interface Seen {
  readonly unschedulable?: boolean
  readonly kubeletVersion?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly digest?: string
  readonly taints?: readonly object[]
}

function see(
  name: string,
  { unschedulable, kubeletVersion = 'v1.35.4', labels = {}, digest = before, taints = [] }: Seen,
  known?: ClusterNode,
) {
  const annotations = { [names.currentConfig]: formatDesiredConfig({ DIGEST: digest, POOL: 'workers' }) }
  const status = { nodeInfo: { architecture: 'amd64', osImage: 'Debian 12', kubeletVersion } }
  const metadata = { name, resourceVersion: '1', labels: { rack: 'r1', ...labels }, annotations }
  return project({ metadata, spec: { ...(unschedulable && { unschedulable }), taints }, status }, known)
}

/** Two nodes, of which the first becomes another; and how often one of them was rendered for that. */
function change(seen: Seen) {
  let rendered = 0
  const render: CompiledPool['render'] = () => {
    rendered += 1
    return { kind: 'config', digest: after, content: { kubelet: {} } as never, desired: {}, payloads: [] }
  }
  const pool: CompiledPool = { name: 'workers', fingerprint: '1', spec: {}, policy: {} as never, disruption: {}, render }
  const sources = { pool, revisions: new Map(), renderer: new PoolRenderer() }
  const [a, b] = [see('a', {}), see('b', {})]
  const first = wantedBy([a, b], sources)
  rendered = 0
  const second = wantedBy([see('a', seen, a), b], sources, first)
  const isSame = (name: string) => second.byName.get(name) === first.byName.get(name)
  return { isSameMap: second.byName === first.byName, a: isSame('a'), b: isSame('b'), rendered }
}

test('targets stay the same objects while a node changes in nothing that they are made of', () => {
  expect(change({ unschedulable: true })).toEqual({ isSameMap: true, a: true, b: true, rendered: 0 })
})

test.each<[string, Seen, number]>([
  ['runs another version', { kubeletVersion: 'v1.36.3' }, 0],
  ['runs other content', { digest: after }, 0],
  ['has another label', { labels: { tier: 'front' } }, 1],
])('a node that %s gets a target of its own, and no other node does', (_, seen, rendered) => {
  expect(change(seen)).toEqual({ isSameMap: false, a: false, b: true, rendered })
})

test('targets of nodes that are the same objects are said to be the same, unless they are found with something else', () => {
  const render: CompiledPool['render'] = () => ({ kind: 'problem', message: 'a test' })
  const pool: CompiledPool = { name: 'workers', fingerprint: '1', spec: {}, policy: {} as never, disruption: {}, render }
  const sources = { pool, revisions: new Map(), renderer: new PoolRenderer() }
  const [a, b] = [see('a', {}), see('b', {})]
  const first = wantedBy([a, b], sources)
  const isSame = (nodes: readonly ClusterNode[], more: object = {}) =>
    wantedBy(nodes, { ...sources, ...more }, first).basis === first.basis

  expect(isSame([see('a', { kubeletVersion: 'v1.36.3' }, a), b])).toBe(true)
  expect(isSame([a, b], { revisions: new Map([['abc', {} as never]]) })).toBe(false)
  expect(isSame([a, b], { ceiling: { rules: [] } })).toBe(false)
  expect(isSame([a])).toBe(false)
})

test('targets are found anew when one of the commits at which to look is another one', () => {
  const render: CompiledPool['render'] = () => ({ kind: 'problem', message: 'a test' })
  const pool: CompiledPool = { name: 'workers', fingerprint: '1', spec: {}, policy: {} as never, disruption: {}, render }
  const [abc, def, other] = [{} as never, {} as never, {} as never]
  const sources = {
    pool,
    revisions: new Map([
      ['abc', abc],
      ['def', def],
    ]),
    renderer: new PoolRenderer(),
  }
  const nodes = [see('a', {})]
  const first = wantedBy(nodes, sources)
  const isSame = (last: never) =>
    wantedBy(
      nodes,
      {
        ...sources,
        revisions: new Map([
          ['abc', abc],
          ['def', last],
        ]),
      },
      first,
    ).basis === first.basis

  expect([isSame(def), isSame(other)]).toEqual([true, false])
})

/** What one node is to become by this content, where the server refuses to write it, or not. */
function targetOf({
  version,
  isDue,
  current = before,
}: {
  readonly version?: string
  readonly isDue?: boolean
  readonly current?: string
}) {
  const render: CompiledPool['render'] = () => ({
    ...{ kind: 'config', digest: after, content: { host: '{}' }, desired: {}, payloads: [] },
    ...(version !== undefined && { version }),
  })
  const pool: CompiledPool = { name: 'workers', fingerprint: '1', spec: {}, policy: {} as never, disruption: {}, render }
  const refusal = { object: 'node a', about: after, message: 'no', isDue } as const
  const refused = { of: () => (isDue === undefined ? undefined : refusal), concerning: () => [] } as never
  return wantedBy([see('a', { digest: current })], {
    pool,
    revisions: new Map(),
    renderer: new PoolRenderer(),
    refused,
  }).byName.get('a')
}

test('a target is a problem while the server refuses to write it, and no more when it is to be tried again', () => {
  expect(targetOf({ isDue: false })).toEqual({ kind: 'problem', reason: 'WriteRefused', message: 'no' })
  expect([targetOf({ isDue: true })?.kind, targetOf({})?.kind]).toEqual(['config', 'config'])
})

test('a target has the version of its content, and none where the content has none', () => {
  expect(targetOf({ version: '1.36.3' })).toMatchObject({ version: '1.36.3' })
  expect(targetOf({})).not.toHaveProperty('version')
})

test('a node that has its content is not disturbed, and one whose content nobody knows is restarted', () => {
  const disruptionOf = (current: string) => {
    const target = targetOf({ current })
    return target?.kind === 'config' ? target.disruption : target
  }
  expect([disruptionOf(after), disruptionOf(before)]).toEqual(['none', 'restart'])
})

test('what a node runs is found by the capacity that its numbers were calculated from', () => {
  const content = { host: JSON.stringify({ files: [{ path: '/etc/motd', content: 'x' }] }) }
  const render: CompiledPool['render'] = ({ cpu }) => ({
    ...{ kind: 'config', digest: cpu === 2 ? before : after, content, desired: {}, payloads: [] },
  })
  const about = { name: 'workers', spec: {}, policy: {} as never, disruption: {}, render, readsCapacity: true as const }
  const revisions = new Map([['abc', { pools: new Map([['workers', { ...about, fingerprint: '1' }]]) } as never]])
  const disruptionOf = (more: object) => {
    const node = { ...see('a', {}), ...more }
    const sources = { pool: { ...about, fingerprint: '2' }, revisions, renderer: new PoolRenderer() }
    const target = wantedBy([node], sources).byName.get('a')
    return target?.kind === 'config' ? target.disruption : target
  }

  expect(disruptionOf({ renderedFrom: { fingerprint: '1', cpu: 2 } })).toBe('none')
  expect(disruptionOf({})).toBe('restart')
})

test('what a node runs is the content with its digest, at whichever commit that is', () => {
  const at = (digest: string, mode: string) => {
    const render: CompiledPool['render'] = () => ({ kind: 'config', digest, content: { host: mode }, desired: {}, payloads: [] })
    const pool: CompiledPool = { name: 'workers', fingerprint: digest, spec: {}, policy: {} as never, disruption: {}, render }
    return { pool, fleet: { pools: new Map([['workers', pool]]) } as never }
  }
  const [one, other] = [at(after, 'new'), at(before, 'old')]
  const revisions = new Map([
    ['abc', one.fleet],
    ['def', other.fleet],
  ])
  const running = (DIGEST: string) =>
    runningContent(see('a', {}), { DIGEST, POOL: 'workers' }, { pool: one.pool, revisions, renderer: new PoolRenderer() })

  expect([running(before), running(after), running('none')]).toEqual([{ host: 'old' }, { host: 'new' }, undefined])
})

const GPU = { key: 'gpu', effect: 'NoExecute' }

/** What the assignment of other content needs on a node with these taints, where the content has one that evicts, before and after. */
function disruptionWith(taints: readonly object[], wanted: readonly object[] = [GPU]) {
  const host = (mode: string) => JSON.stringify({ node: { taints: wanted }, files: [{ path: '/etc/motd', content: 'x', mode }] })
  const rendering = (digest: string, mode: string): CompiledPool['render'] => {
    const form = { kind: 'config' as const, digest, content: { host: host(mode) }, desired: {}, payloads: [] }
    return () => form
  }
  const about = { name: 'workers', spec: {}, policy: {} as never, disruption: {} }
  const running: CompiledPool = { ...about, fingerprint: '1', render: rendering(before, '0644') }
  const pool: CompiledPool = { ...about, fingerprint: '2', render: rendering(after, '0600') }
  const revisions = new Map([['abc', { pools: new Map([['workers', running]]) } as never]])
  const annotations = { [names.currentConfig]: formatDesiredConfig({ DIGEST: before, POOL: 'workers' }) }
  const node = project({ metadata: { name: 'a', annotations }, spec: { taints } })
  const target = wantedBy([node], { pool, revisions, renderer: new PoolRenderer() }).byName.get('a')
  return target?.kind === 'config' ? target.disruption : target
}

test('an assignment drains the node first when it writes a taint again that evicts pods, and somebody had removed', () => {
  expect(disruptionWith([GPU])).toBe('none')
  expect(disruptionWith([{ ...GPU, effect: 'NoSchedule' }])).toBe('drain')
})

test('an assignment drains the node first when somebody gave a taint that evicts pods another value, which other pods tolerate', () => {
  expect(disruptionWith([{ ...GPU, value: 'theirs' }])).toBe('drain')
  expect(disruptionWith([{ ...GPU, value: '', timeAdded: '2026-11-22T10:00:00Z' }])).toBe('none')
})

test('an assignment drains the node first when it writes one of two taints that evict pods again', () => {
  const infiniband = { key: 'infiniband', effect: 'NoExecute' }

  expect(disruptionWith([GPU, infiniband], [GPU, infiniband])).toBe('none')
  expect(disruptionWith([GPU], [GPU, infiniband])).toBe('drain')
})

test('a node whose taint that evicts pods somebody removed gets a target of its own', () => {
  expect(change({ taints: [GPU] })).toMatchObject({ isSameMap: false, a: false, b: true })
  expect(change({ taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] })).toMatchObject({
    isSameMap: true,
  })
})
