import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiObject } from '../../src/sim/apiserver/api-object.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { conditionOf, NODES, POOLS, readyOf } from '../controller/stage.ts'
import { agentStatusOf, aWorld, type World } from './world.ts'

/** What a cluster can suffer, or people can write into it. Each case begins and ends with a healthy fleet. */
let world: World
let verbosity = 0
let accepted = ''

const ONE_BY_ONE = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 1'
const POOL = `${POOLS}/workers`

function pushHealthy(): Promise<string> {
  verbosity += 1
  return world.push(aFleet({ v: verbosity, rollout: ONE_BY_ONE }))
}

async function heal(): Promise<void> {
  accepted = await pushHealthy()
  await world.untilDone(accepted)
}

async function annotate(path: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  await world.kube.patch(path, { metadata: { annotations } })
}

/** Until the agent of n0 tells of this error. @returns its message */
async function untilError(reason: string): Promise<string> {
  const nodes = await world.until(NODES, (found) => agentStatusOf(found.get('n0'))?.error?.reason === reason)
  return agentStatusOf(nodes.get('n0'))?.error?.message ?? ''
}

beforeAll(async () => {
  world = await aWorld({ nodes: 3 })
  await heal()
})
afterAll(() => world[Symbol.asyncDispose]())

test('an annotation that is not JSON is told of, keeps nobody else waiting, and is forgotten when it goes', async () => {
  await annotate(`${NODES}/n0`, { 'nodewave.io/desired-config': 'not json' })
  expect(await untilError('MalformedDesiredConfig')).toBe('failed to load config: desired-config is not JSON: "not json"')
  const commit = await pushHealthy()
  await world.until(NODES, (found) =>
    ['n1', 'n2'].every((name) => agentStatusOf(found.get(name))?.revision === commit && isApplied(found.get(name))),
  )
  await annotate(`${NODES}/n0`, { 'nodewave.io/desired-config': null })
  await world.untilDone(commit)
})

test('a payload whose digest does not match is told of and not applied, and the right one is when it comes', async () => {
  await heal()
  const { n0: before } = Object.fromEntries(await world.until(NODES, () => true))
  const desired = JSON.parse(before?.metadata.annotations?.['nodewave.io/desired-config'] ?? '')
  await annotate(POOL, { 'nodewave.io/paused': 'to look at it' })
  await annotate(`${NODES}/n0`, { 'nodewave.io/desired-config': JSON.stringify({ ...desired, DIGEST: `v1:${'0'.repeat(64)}` }) })
  expect(await untilError('DigestMismatch')).toContain('failed to sync: failed to download config: ')
  const { n0: during } = Object.fromEntries(await world.until(NODES, () => true))
  expect(agentStatusOf(during)?.active).toBe(desired.DIGEST)
  await annotate(POOL, { 'nodewave.io/paused': null })
  await world.untilDone(accepted)
})

test('a node that two pools claim is left alone, both say so, and it is taken up when one lets go', async () => {
  const gpu =
    'apiVersion: nodewave.io/v1alpha1\nkind: NodePool\nmetadata: {name: gpu}\nspec:\n  nodeSelector: {matchLabels: {gpu: "yes"}}\n'
  await world.kube.patch(`${NODES}/n0`, { metadata: { labels: { gpu: 'yes' } } })
  await world.push({ 'gpu.yaml': gpu })
  const pools = await world.until(POOLS, (found) =>
    ['workers', 'gpu'].every((name) => readyOf(found.get(name)) === 'False NodeClaimedTwice'),
  )
  expect(conditionOf(pools.get('workers'), 'Ready')?.message).toContain('node "n0" is claimed by the pools "gpu" and "workers"')
  await world.kube.patch(`${NODES}/n0`, { metadata: { labels: { gpu: null } } })
  await heal()
})

test('an API server that goes away in the middle of a wave is waited for by the controller and every agent', async () => {
  const commit = await pushHealthy()
  await world.until(NODES, (found) => [...found.values()].some((node) => agentStatusOf(node)?.revision === commit))
  world.server.stop()
  world.server.start()
  await world.untilDone(commit)
})

test('an API server that forgets the past in the middle of a wave is listed again', async () => {
  const commit = await pushHealthy()
  await world.until(NODES, (found) => [...found.values()].some((node) => agentStatusOf(node)?.revision === commit))
  world.server.compact()
  world.server.breakConnections()
  await world.untilDone(commit)
})

test('an etcd that is restored from a backup sends no node back: each keeps what it has, and is assigned that again', async () => {
  await heal()
  const restore = backUp({ 'nodewave.io/paused': 'to see what the agents say' })
  const commit = await pushHealthy()
  await world.untilDone(commit)
  const [{ active: newest } = {}] = [...(await world.until(NODES, () => true)).values()].map(agentStatusOf)

  restore()
  const refusing = await world.until(NODES, (found) => [...found.values()].every((node) => agentStatusOf(node)?.error))
  const said = [...refusing.values()].map(agentStatusOf)
  expect(said.map((status) => status?.error?.reason)).toEqual(Array(3).fill('AssignmentReplayed'))
  expect(said.map((status) => status?.active)).toEqual(Array(3).fill(newest))

  await annotate(POOL, { 'nodewave.io/paused': null })
  await world.untilDone(commit)
})

/**
 * @param annotations that the pools of the backup have besides
 * @returns what brings Nodes and pools back as they are now
 */
function backUp(annotations: Readonly<Record<string, string>>): () => void {
  const { server } = world
  const nodes = server.store.list('nodes')
  const pools = server.store.list('nodepools.nodewave.io').map((pool) => annotated(pool, annotations))
  return () => {
    server.stop()
    for (const node of nodes) server.store.put('nodes', node)
    for (const pool of pools) server.store.put('nodepools.nodewave.io', pool)
    server.start()
  }
}

function annotated(object: ApiObject, annotations: Readonly<Record<string, string>>): ApiObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } } }
}

function isApplied(node: Parameters<typeof agentStatusOf>[0]): boolean {
  return agentStatusOf(node)?.phase === 'Applied'
}
