import { expect, test } from 'vitest'
import { ForgeError } from '../../../src/forge/status/commit-status.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, conditionOf, POOLS, readyOf, type Stage } from '../stage.ts'
import { aPlace, FakeForge } from './fake-forge.ts'

const [B, C] = ['b'.repeat(40), 'c'.repeat(40)]
const BRANCH = `nodewave/revert-${B.slice(0, 12)}`
const EVENTS = '/api/v1/namespaces/default/events'

/** Up to the rest after a second failure in a row. */
function soon<T>({ clock }: Stage, wanted: Promise<T>): Promise<T> {
  return clock.passUntil(wanted, { atMost: 10_000 })
}

const fleet = (v: number, onFailure = 'Rollback') => aFleet({ rollout: `maxUnavailable: 1, onFailure: ${onFailure}`, v })

/** A runs, B fails on every node. */
async function failing(stage: Stage, forge: FakeForge, onFailure?: string): Promise<void> {
  await stage.addNodes(3)
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  stage.startController({ reverts: aPlace(forge) })
  stage.push('a', fleet(2, onFailure))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', fleet(4, onFailure))
}

test.each(['Rollback', 'Halt'])('a commit that fails is reverted by one pull request (onFailure: %s)', async (onFailure) => {
  await using stage = await aStage()
  const forge = new FakeForge()
  await failing(stage, forge, onFailure)
  await soon(
    stage,
    forge.until(() => forge.requests.size === 1),
  )
  const [{ files = [], ...commit } = {}] = forge.commits
  expect(commit).toEqual({
    ...{ base: 'main', parent: B, branch: BRANCH },
    message: `Revert ${B.slice(0, 12)}: it failed in workers\n\nThis reverts commit ${B}.\n`,
  })
  expect(files.map(({ path, before, after }) => [path, before?.toString(), after?.toString()])).toEqual([
    ['fleet/fleet.yaml', fleet(4, onFailure)['fleet.yaml'], fleet(2, onFailure)['fleet.yaml']],
  ])
  expect(forge.requests.get(BRANCH)?.body).toContain('kubelet exited 3 times')
  const whatNodesRun = onFailure === 'Halt' ? 'stopped where it was' : 'Pools return to what they completed before'
  expect(forge.requests.get(BRANCH)?.body).toContain(whatNodesRun)
  const events = await stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'RevertProposed'))
  expect([...events.values()].find(({ reason }) => reason === 'RevertProposed')).toMatchObject({
    type: 'Normal',
    message: 'opened https://git.example.com/pulls/1, which reverts it',
  })
  expect(forge.asked.filter((line) => line.startsWith('open'))).toEqual([`open ${BRANCH}`])
})

test('a pull request is closed when people go on with another commit', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  await failing(stage, forge)
  await soon(
    stage,
    forge.until(() => forge.requests.size === 1),
  )
  stage.push('c', fleet(5))
  await soon(
    stage,
    forge.until(() => forge.requests.get(BRANCH)?.isOpen === false),
  )
  expect(forge.requests.get(BRANCH)?.body).toContain(
    `Closed by the controller of nodewave: the pools are Ready at ${C.slice(0, 12)}.`,
  )
})

test('a pull request that people closed is not opened again, nor by the next controller', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.requests.set(BRANCH, { number: 1, url: '', isOpen: false, body: '' })
  await failing(stage, forge)
  await soon(
    stage,
    forge.until(() => forge.asked.length === 1),
  )
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  expect(forge.asked).toEqual([`find ${BRANCH}`])
})

test('a pull request of others from a branch of that name is left open', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.requests.set(BRANCH, { number: 1, url: '', isOpen: true, body: 'made by a person' })
  await failing(stage, forge)
  await soon(
    stage,
    forge.until(() => forge.asked.length === 1),
  )
  stage.push('c', fleet(5))
  await soon(stage, stage.completed(C))
  expect(forge.asked.filter((line) => line.startsWith('close'))).toEqual([])
})

test('a branch that somebody else pushed under that name becomes no pull request of nodewave', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.others.add(BRANCH)
  await failing(stage, forge)
  const events = await soon(
    stage,
    stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'RevertNotProposed')),
  )
  expect([...events.values()].find(({ reason }) => reason === 'RevertNotProposed')).toMatchObject({
    message: `no pull request reverts "bbbbbbbbbbbb": branch "${BRANCH}" exists already; revert it by hand`,
  })
  expect(forge.asked).toEqual([`find ${BRANCH}`, `commit ${BRANCH}`])
})

test('a forge that is down delays no rollback, and gets the pull request when it is back', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.failure = new ForgeError('https://git.example.com: HTTP 503')
  await failing(stage, forge)
  await soon(
    stage,
    stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'RolledBack'),
  )
  expect(forge.requests.size).toBe(0)
  forge.failure = undefined
  await soon(
    stage,
    forge.until(() => forge.requests.size === 1),
  )
})

test('an answer that was lost makes no second commit or pull request', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  for (const what of ['commit', 'open'] as const) forge.lost.add(what)
  await failing(stage, forge)
  const asked = ['find', 'commit', 'find', 'commit', 'open', 'find']
  await soon(
    stage,
    forge.until(() => forge.asked.length === asked.length),
  )
  expect(forge.asked).toEqual(asked.map((what) => `${what} ${BRANCH}`))
  expect([forge.commits.length, forge.requests.size]).toEqual([1, 1])
})

const refusal = () => new ForgeError('https://git.example.com: HTTP 403', { isRefusal: true })

test('a branch that somebody else pushed after the forge refused that of nodewave becomes no pull request', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.refusals.push(refusal())
  await failing(stage, forge)
  await soon(
    stage,
    forge.until(() => forge.asked.length === 2),
  )
  forge.others.add(BRANCH)
  await soon(
    stage,
    stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'RevertNotProposed')),
  )
  expect(forge.asked).toEqual(['find', 'commit', 'find', 'commit'].map((what) => `${what} ${BRANCH}`))
})

test('a branch of nodewave becomes a pull request though its answer was lost and the forge refuses it once after that', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.lost.add('commit')
  await failing(stage, forge)
  await soon(
    stage,
    forge.until(() => forge.asked.length === 2),
  )
  forge.refusals.push(refusal())
  await soon(
    stage,
    forge.until(() => forge.requests.size === 1),
  )
  expect(forge.commits).toHaveLength(1)
  expect(forge.asked).toEqual(['find', 'commit', 'find', 'commit', 'find', 'commit', 'open'].map((what) => `${what} ${BRANCH}`))
})

test('a failed commit whose file changed again since needs a person, and an event says so', async () => {
  await using stage = await aStage()
  const forge = new FakeForge()
  forge.failure = new ForgeError('https://git.example.com: HTTP 503')
  await failing(stage, forge)
  await soon(
    stage,
    stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'RolledBack'),
  )
  const text = fleet(4)['fleet.yaml'] ?? ''
  stage.push('c', { 'fleet.yaml': `${text}\n# another line\n` })
  await stage.logged((line) => line.includes('accepted commit "c'))
  forge.failure = undefined
  const events = await soon(
    stage,
    stage.until(EVENTS, (found) => [...found.values()].some(({ reason }) => reason === 'RevertNotProposed')),
  )
  expect([...events.values()].find(({ reason }) => reason === 'RevertNotProposed')).toMatchObject({
    message: 'no pull request reverts "bbbbbbbbbbbb": files changed again since: fleet.yaml; revert it by hand',
  })
})
