import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { SettingsWatch } from '../../../src/controller/node-settings/settings-watch.ts'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { WriteLimit } from '../../../src/controller/writes/write-limit.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { Ceiling, CeilingRule } from '../../../src/rollout/model/ceiling.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'

const compile = createCompiler({ namespace: 'nodewave-system' })
const [older, newer] = ['front', 'back'].map((tier, index) =>
  compile(aSnapshot('ab'[index] ?? '', aFleet({ more: `  node: {labels: {tier: ${tier}}}\n` }))),
)
const revisions = new Map([older, newer].flatMap((fleet) => (fleet ? [[fleet.commit, fleet]] : [])))
const renderer = new PoolRenderer()
const NOW = Date.parse('2026-11-22T10:00:00Z')
const FACTS = { name: 'n0', labels: { role: 'worker' }, arch: '', osImage: '' }

function digestAt(fleet: typeof older): string {
  const rendered = fleet?.pools.get('workers')?.render(FACTS)
  return rendered?.kind === 'config' ? rendered.digest : ''
}

function aNode(
  desired: object,
  version = '1',
  metadata: { readonly [key: string]: unknown; readonly name?: string } = {},
  more: object = {},
) {
  const annotations = {
    'nodewave.io/desired-config': JSON.stringify({
      POOL: 'workers',
      REVISION: older?.commit,
      DIGEST: digestAt(older),
      ...desired,
    }),
    'nodewave.io/node-settings': '{"labels":["tier"]}',
    ...more,
  }
  return projectNode(namesFor())({
    metadata: { name: 'n0', resourceVersion: version, labels: { role: 'worker' }, annotations, ...metadata },
  })
}

const aWatch = (limit = new WriteLimit()) => new SettingsWatch(limit)

const dueOf = (node: ReturnType<typeof aNode>, watch = aWatch()) =>
  watch.due('workers', { nodes: [node], revisions, renderer, now: NOW }).map(({ repair }) => repair.settings.labels)

test('Node gets the settings of the commit that it was assigned at, not of the newest', () => {
  expect(dueOf(aNode({}))).toEqual([{ tier: 'front' }])
})

test('Node gets the settings of its commit though another commit has none', () => {
  const without = compile(aSnapshot('c', aFleet()))
  const due = aWatch().due('workers', {
    nodes: [aNode({})],
    revisions: new Map([[without.commit, without], ...revisions]),
    ...{ renderer, now: NOW },
  })
  expect(due.map(({ repair }) => repair.settings.labels)).toEqual([{ tier: 'front' }])
})

test('Node gets the settings of equal content when its commit is forgotten', () => {
  expect(dueOf(aNode({ REVISION: 'f'.repeat(40), DIGEST: digestAt(newer) }))).toEqual([{ tier: 'back' }])
})

test.each([
  ['was assigned by another pool', { POOL: 'gpu' }],
  ['was assigned by hand', { POOL: undefined }],
  ['has content that no commit has any more', { REVISION: 'f'.repeat(40), DIGEST: `v1:${'0'.repeat(64)}` }],
])('Node that %s is left alone', (_, desired) => {
  expect(dueOf(aNode(desired))).toEqual([])
})

test('Node that is being deleted is left alone', () => {
  expect(dueOf(aNode({}, '1', { deletionTimestamp: '2026-11-22T09:00:00Z' }))).toEqual([])
})

test('Node whose record somebody takes away each time is written twenty times within an hour', () => {
  const limit = new WriteLimit()
  const watch = aWatch(limit)
  const rounds = Array.from({ length: 30 }, (_, index) => {
    const due = dueOf(aNode({}, String(index)), watch)
    if (due.length > 0) limit.wrote('n0', NOW)
    return due.length
  })
  expect(rounds.filter((count) => count === 1)).toHaveLength(20)
  const after = (elapsed: number) => watch.due('workers', { nodes: [aNode({}, '99')], revisions, renderer, now: NOW + elapsed })
  expect([after(3_599_999).length, after(3_600_000).length]).toEqual([0, 1])
})

test('Node whose repair failed is tried again', () => {
  const watch = aWatch()
  const rounds = Array.from({ length: 30 }, (_, index) => dueOf(aNode({}, String(index)), watch).length)
  expect(rounds.every((count) => count === 1)).toBe(true)
})

test('Node whose repair was not written is due again though it is the same', () => {
  const [watch, node] = [aWatch(), aNode({})]
  expect([dueOf(node, watch), dueOf(node, watch)]).toEqual([[{ tier: 'front' }], [{ tier: 'front' }]])
})

test('Nodes whose settings are not to be tried now leave room for others', () => {
  const nodes = Array.from({ length: 100 }, (_, index) => aNode({}, '1', { name: `n${index}` }))
  const mayTry = (name: string): boolean => Number(name.slice(1)) >= 70
  const due = aWatch().due('workers', { nodes, revisions, renderer, mayTry, now: NOW })
  expect(due.map(({ node }) => node)).toEqual(Array.from({ length: 30 }, (_, index) => `n${70 + index}`))
})

const ceilingOf = (nodeSelector: CeilingRule['nodeSelector']): Ceiling => ({ rules: [{ place: 'spec.rules[0]', nodeSelector }] })

test.each<[string, Ceiling]>([
  ['by which a rule of the Ceiling selects Nodes', ceilingOf({ matchLabels: { tier: 'restricted' } })],
  ['while the Ceiling cannot be read', { rules: [], unreadable: 'no such field' }],
])('label %s is reported, and not written again, until the Ceiling lets it', (_, ceiling) => {
  const [watch, node] = [aWatch(), aNode({})]
  const due = (...ceilings: Ceiling[]) =>
    watch
      .due('workers', { nodes: [node], revisions, renderer, now: NOW, ...(ceilings[0] && { ceiling: ceilings[0] }) })
      .map(({ repair: { settings, history } }) => [settings.labels, history.drift])
  expect(due(ceiling)).toEqual([[{}, ['label tier']]])
  expect(due(ceilingOf({ matchLabels: { other: 'x' } }))).toEqual([[{ tier: 'front' }, []]])
})

test('label that a Ceiling keeps from being written again is written when the rule is gone, though the Node is the same', () => {
  const record = { 'nodewave.io/node-settings': '{"labels":["tier"],"drift":["label tier"]}' }
  const [watch, node] = [aWatch(), aNode({}, '1', {}, record)]
  const about = { nodes: [node], revisions, renderer, now: NOW }
  expect(watch.due('workers', { ...about, ceiling: ceilingOf({ matchLabels: { tier: 'restricted' } }) })).toEqual([])
  expect(watch.due('workers', about).map(({ repair }) => repair.settings.labels)).toEqual([{ tier: 'front' }])
})

test('of many Nodes 64 are repaired at once, so that the others wait for a later pass', () => {
  const nodes = Array.from({ length: 70 }, (_, index) => aNode({}, '1', { name: `n${index}` }))
  const due = aWatch().due('workers', { nodes, revisions, renderer, now: NOW })

  expect(due.map(({ node }) => node)).toEqual(nodes.slice(0, 64).map(({ name }) => name))
})
