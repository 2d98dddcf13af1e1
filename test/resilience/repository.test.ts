import fs from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeObject } from 'isomorphic-git'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFleet } from '../controller/a-fleet.ts'
import { NODES, POOLS } from '../controller/stage.ts'
import { aWorld, type World } from './world.ts'

/** What a repository can hold, or have happen to it, that nobody wants on a node. Each case begins and ends with a healthy fleet. */
let world: World
let verbosity = 0

/** Nodes differ from one healthy fleet to the next. */
function healthy(): Record<string, string> {
  verbosity += 1
  return { ...aFleet({ v: verbosity }), 'other.yaml': '' }
}

async function desired(): Promise<string[]> {
  const nodes = await world.until(NODES, () => true)
  return [...nodes.values()].map(({ metadata }) => metadata.annotations?.['nodewave.io/desired-config'] ?? '')
}

beforeAll(async () => {
  world = await aWorld({ nodes: 2 })
  await world.untilDone(await world.push(healthy()))
})
afterAll(() => world[Symbol.asyncDispose]())

const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'
const POOL = `${HEAD} NodePool\nmetadata: {name: gpu}\nspec:\n  nodeSelector: {matchLabels: {role: gpu}}\n`

test.each([
  ['malformed YAML', `${HEAD} FlagSet\nmetadata: {name: a\n`, 'other.yaml:3:11: a map is opened here'],
  ['an unknown field', `${POOL}  colour: red\n`, 'other.yaml:6:3: '],
  [
    'two pools with equal selectors',
    POOL.replace('role: gpu', 'role: worker'),
    'select the same nodes; give one of them a label',
  ],
  ['a FlagSet that is missing', `${POOL}  kubelet: {flagSets: [nope]}\n`, 'other.yaml:6:24: no FlagSet is named "nope"'],
  [
    'an unquoted version',
    `${POOL}  kubelet: {version: 1.30}\n`,
    'other.yaml:6:22: expected a kubelet version as a quoted string',
  ],
  [
    'aliases that contain themselves',
    `${HEAD} FlagSet\nmetadata: {name: a}\nspec: &a {flags: *a}\n`,
    'other.yaml:4:18: alias "a" leads to what it is part of',
  ],
  ['pools that wait for each other', `${POOL}  dependsOn: [gpu]\n`, 'other.yaml:6:'],
  ['a YAML file of 10 MB', `# ${'x'.repeat(10_000_000)}\n`, 'other.yaml:1:1: '],
])('%s is refused at its place, changes no node, and holds up nothing that comes after', async (_, text, message) => {
  const before = await desired()
  const commit = await world.push({ 'other.yaml': text })
  expect(await world.untilRefused(commit)).toContain(message)
  expect(await desired()).toEqual(before)
  await world.untilDone(await world.push(healthy()))
})

test('a symlink is refused where a document could be, and its target is not read', async () => {
  await writeFile(join(world.git.folder, 'secret.yaml'), 'password: hunter2\n')
  await symlink('../secret.yaml', join(world.git.work, 'link.yaml'))
  const message = await world.untilRefused(await world.push({}))
  expect(message).toContain('link.yaml:1:1: ')
  expect(message).not.toContain('hunter2')
  await world.git.git('rm', '--quiet', 'link.yaml')
  await world.untilDone(await world.push(healthy()))
})

test('a path that leads out of the repository is refused, and the fleet goes on with the next commit', async () => {
  const before = await desired()
  const { git, work } = world.git
  const accepted = await git('rev-parse', 'HEAD')
  const object = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(await git('rev-parse', 'HEAD:fleet.yaml'), 'hex')])
  // The real git would not write such a tree.
  const tree = await writeObject({ fs, gitdir: join(work, '.git'), type: 'tree', object, format: 'content' })
  const wicked = await git('commit-tree', '-p', accepted, '-m', 'wicked', tree)
  await git('push', '--quiet', 'origin', `${wicked}:main`)
  expect(await world.untilRefused(wicked)).toContain('".."')
  expect(await desired()).toEqual(before)
  await world.untilDone(await world.push(healthy()))
})

test('a force-push is refused until the branch descends again from what was accepted', async () => {
  const { git } = world.git
  const before = await desired()
  const accepted = await git('rev-parse', 'HEAD')
  await git('reset', '--quiet', '--hard', 'HEAD~1')
  const rewritten = await world.push(healthy())
  expect(await world.untilRefused(rewritten)).toContain('descend')
  expect(await desired()).toEqual(before)
  await git('reset', '--quiet', '--hard', accepted)
  await world.untilDone(await world.push(healthy()))
})

test('a Git server that is away is told of, and what was pushed meanwhile arrives when it is back', async () => {
  world.gitServer.stop()
  await world.until('/api/v1/namespaces/default/events', (events) =>
    [...events.values()].some(({ reason }) => reason === 'RepositoryUnreachable'),
  )
  expect([...(await world.until(POOLS, () => true)).keys()]).toEqual(['workers'])
  world.gitServer.start()
  await world.untilDone(await world.push(healthy()))
})
