import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { refreshPool } from '../../../src/controller/cache/refresh-nodes.ts'
import type { FollowEvent, KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import { formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const names = namesFor()
const readNode = projectNode(names)

const node = (name: string, resourceVersion: string, labels: Record<string, string> = { 'nodewave.io/pool': 'workers' }) => ({
  metadata: { name, resourceVersion, uid: `uid-${name}`, labels },
})

/** What a server that has these nodes answers to lists; and what is asked of it. */
function serverWith(...objects: readonly KubeObject[]) {
  const asked: string[] = []
  const list: KubeApi['list'] = async (_, { project, labelSelector, fieldSelector }) => {
    asked.push(labelSelector ?? fieldSelector ?? 'all')
    const isAsked = ({ metadata }: KubeObject) =>
      labelSelector === undefined
        ? fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`
        : poolsIn(labelSelector).includes(metadata.labels?.['nodewave.io/pool'] ?? '')
    return { items: objects.filter(isAsked).map(project), resourceVersion: '20' }
  }
  return { kube: { list }, asked }
}

/** Of `nodewave.io/pool=workers` or `nodewave.io/pool in (workers,gpu)`. */
function poolsIn(selector: string): readonly string[] {
  return selector
    .replace(/^nodewave\.io\/pool(=| in \()/, '')
    .replace(/\)$/, '')
    .split(',')
}

function known(...objects: readonly KubeObject[]) {
  const nodes = new ObjectCache<ClusterNode>(() => undefined)
  nodes.observe({ type: 'sync', items: objects.map((object) => readNode(object)), resourceVersion: '10' })
  return { nodes, readNode }
}

test.each<readonly [what: string, found: readonly KubeObject[], isNews: boolean, left: readonly string[]]>([
  ['are as they were known', [node('a', '1'), node('b', '2')], false, ['a 1', 'b 2']],
  ['have other versions alone', [node('a', '1'), node('b', '12')], false, ['a 1', 'b 12']],
  ['are fewer', [node('a', '1')], true, ['a 1']],
  ['are more', [node('a', '1'), node('b', '2'), node('c', '13')], true, ['a 1', 'b 2', 'c 13']],
  ['have lost their label', [node('a', '1'), node('b', '12', { role: 'worker' })], true, ['a 1', 'b 12']],
])('a pool is refreshed with news, or without, when its nodes %s', async (_, found, isNews, left) => {
  const cluster = known(node('a', '1'), node('b', '2'))
  const { kube } = serverWith(...found)
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(isNews)
  expect([...cluster.nodes.items.values()].map(({ name, resourceVersion }) => `${name} ${resourceVersion}`)).toEqual(left)
})

test.each<readonly [what: string, event: FollowEvent<ClusterNode>]>([
  ['changed', { type: 'upsert', item: readNode({ ...node('b', '12'), spec: { unschedulable: true } }) }],
  ['is gone', { type: 'delete', name: 'b', namespace: '', resourceVersion: '12' }],
  ['is new', { type: 'upsert', item: readNode(node('c', '12')) }],
])('a refresh of a pool brings news when the watch tells meanwhile that a node of it %s', async (_, event) => {
  const cluster = known(node('a', '1'), node('b', '2'))
  const list: KubeApi['list'] = async () => {
    cluster.nodes.observe(event)
    return { items: [...cluster.nodes.items.values()] as never[], resourceVersion: '20' }
  }
  expect(await refreshPool('workers', names, { kube: { list }, cluster })).toBe(true)
})

test('a refresh of a pool reads the nodes of no other pool', async () => {
  const other = { 'nodewave.io/pool': 'gpu' }
  const cluster = known(node('a', '1'), node('b', '2', other), node('c', '3', {}))
  const { kube, asked } = serverWith(node('a', '1'))
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(false)
  expect(asked).toEqual(['nodewave.io/pool=workers'])
})

/** Without a label, and assigned something by a pool. */
function unlabelled(name: string, version: string, pool: string): KubeObject {
  const config = formatDesiredConfig({ REVISION: 'a', DIGEST: `v1:${'a'.repeat(64)}`, POOL: pool })
  return { metadata: { ...node(name, version, {}).metadata, annotations: { 'nodewave.io/desired-config': config } } }
}

test('a refresh of a pool reads nodes that lost the label, but those of no other pool', async () => {
  const cluster = known(unlabelled('a', '1', 'workers'), unlabelled('b', '2', 'gpu'))
  const { kube, asked } = serverWith(unlabelled('a', '12', 'workers'))
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(false)
  expect(asked).toEqual(['nodewave.io/pool=workers', 'metadata.name=a'])
  expect(cluster.nodes.get('a')?.resourceVersion).toBe('12')
})

test('a refresh of a pool reads nodes that it assigned something, though their label names another pool', async () => {
  const labels = { 'nodewave.io/pool': 'gpu' }
  const moved = (version: string) => {
    const { metadata } = unlabelled('a', version, 'workers')
    return { metadata: { ...metadata, labels } }
  }
  const { kube, asked } = serverWith(moved('12'))
  const cluster = known(moved('1'))
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(false)
  expect(asked).toEqual(['nodewave.io/pool=workers', 'metadata.name=a'])
  expect(cluster.nodes.get('a')?.resourceVersion).toBe('12')
})

test('a refresh of a pool reads all nodes at once when more than ten lost the label, and finds which of them are gone', async () => {
  const lost = Array.from({ length: 11 }, (_, index) => unlabelled(`n${index}`, '1', 'workers'))
  const cluster = known(...lost, node('other', '2', { 'nodewave.io/pool': 'gpu' }))
  const { kube, asked } = serverWith(...lost.slice(1))
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(true)
  expect(asked).toEqual(['nodewave.io/pool=workers', 'all'])
  expect([...cluster.nodes.items.keys()]).toEqual([...lost.slice(1).map(({ metadata }) => metadata.name), 'other'])
})

test('a refresh of a pool reads the pools that more than ten of its nodes were labelled into, and finds which are gone', async () => {
  const moved = (index: number, pool: string) => {
    const { metadata } = unlabelled(`n${index}`, '1', 'workers')
    return { metadata: { ...metadata, labels: { 'nodewave.io/pool': pool } } }
  }
  const all = Array.from({ length: 11 }, (_, index) => moved(index, index < 6 ? 'gpu' : 'edge'))
  const cluster = known(node('a', '1'), ...all)
  const { kube, asked } = serverWith(node('a', '1'), ...all.slice(1))
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(true)
  expect(asked).toEqual(['nodewave.io/pool in (workers,gpu,edge)', 'metadata.name=n0'])
  expect(cluster.nodes.get('n0')).toBeUndefined()
})

test('a refresh of a pool that reads other pools, too, brings no news when only nodes of those have changed', async () => {
  const labels = { 'nodewave.io/pool': 'gpu' }
  const moved = Array.from({ length: 11 }, (_, index) => {
    const { metadata } = unlabelled(`n${index}`, '1', 'workers')
    return { metadata: { ...metadata, labels } }
  })
  const cluster = known(...moved, node('other', '2', labels))
  const { kube } = serverWith(...moved, { ...node('other', '12', labels), spec: { unschedulable: true } })
  expect(await refreshPool('workers', names, { kube, cluster })).toBe(false)
  expect(cluster.nodes.get('other')?.view.unschedulable).toBe(true)
})

const cordoned = (name: string, version: string) => readNode({ ...node(name, version), spec: { unschedulable: true } })

test('a node that a refresh found gone does not come back when the watch, which is behind, tells what it was before', async () => {
  const cluster = known(node('a', '1'), node('b', '2'))
  const { kube } = serverWith(node('a', '1'))
  await refreshPool('workers', names, { kube, cluster })
  cluster.nodes.observe({ type: 'upsert', item: cordoned('b', '12') })
  expect([...cluster.nodes.items.keys()]).toEqual(['a'])
  cluster.nodes.observe({ type: 'upsert', item: cordoned('b', '21') })
  expect([...cluster.nodes.items.keys()]).toEqual(['a', 'b'])
})

test('a node that a refresh finds gone is gone though the watch tells meanwhile what it was before', async () => {
  const cluster = known(node('a', '1'), node('b', '2'))
  const { kube } = serverWith(node('a', '1'))
  const list: KubeApi['list'] = async (path, options) => {
    if (options.fieldSelector !== undefined) cluster.nodes.observe({ type: 'upsert', item: readNode(node('b', '12')) })
    return kube.list(path, options)
  }
  expect(await refreshPool('workers', names, { kube: { list }, cluster })).toBe(true)
  expect([...cluster.nodes.items.keys()]).toEqual(['a'])
})
