import { expect, test } from 'vitest'
import { formatAgentStatus } from '../../src/protocol/agent-status.ts'
import { parseDesiredConfig } from '../../src/protocol/desired-config.ts'
import { aFleet } from './a-fleet.ts'
import { Replicas } from './replicas.ts'
import { assignedRevision, NODES, POOLS, readyOf } from './stage.ts'

const MINUTE = 60_000
const C = 'c'.repeat(40)
const STATUS = 'nodewave.io/status'
const rollout = 'applyTimeout: 3m, agentTimeout: 2m, waves: [{name: canary, nodes: 1}, {name: all, nodes: "100%"}]'

/** Three nodes at the first commit. The agent of n0 is dead, and has failed the second one. */
async function aDeadAgent(replicas: Replicas): Promise<{ readonly revive: () => void }> {
  let isDead = false
  replicas.startAgents({ outcome: (node) => (isDead && node === 'n0' ? 'says nothing' : 'applies') })
  await replicas.start('first')
  replicas.push('a', aFleet({ rollout }))
  await replicas.clock.advance(10 * MINUTE)
  isDead = true
  replicas.push('b', aFleet({ v: 4, rollout }))
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RolledBack')
  return {
    revive: () => {
      isDead = false
    },
  }
}

async function readiness(replicas: Replicas): Promise<string> {
  return readyOf(await replicas.get(`${POOLS}/workers`))
}

async function becomesReady({ kube, clock }: Replicas, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: new Date(clock.now()).toISOString() }]
  await kube.patch(`${NODES}/n0/status`, { status: { conditions } })
}

/** The agent of n0 is there again, and begins with what its node is assigned. @returns that */
async function beginsNow(replicas: Replicas, revive: () => void): Promise<ReturnType<typeof parseDesiredConfig>> {
  const { clock, kube } = replicas
  const { metadata } = await replicas.get(`${NODES}/n0`)
  const desired = parseDesiredConfig(metadata.annotations?.['nodewave.io/desired-config'] ?? '')
  const { DIGEST = '', ASSIGNED = '' } = desired
  const said = { digest: DIGEST, assigned: DIGEST, assignedAt: ASSIGNED, since: new Date(clock.now()).toISOString() }
  const text = formatAgentStatus({ phase: 'Applying', attempts: 1, ...said })
  revive()
  await kube.patch(`${NODES}/n0`, { metadata: { annotations: { [STATUS]: text } } })
  return desired
}

test('an agent that was silent before a commit, and begins with it long after, has its time from then', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const { clock } = replicas
  const { revive } = await aDeadAgent(replicas)
  replicas.push('c', aFleet({ v: 5, rollout }))
  await clock.advance(30 * MINUTE)
  await beginsNow(replicas, revive)
  await clock.advance(20 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
  expect((await replicas.list(NODES)).map(assignedRevision)).toEqual([C, C, C])
})

test('an agent that was silent before a commit fails it neither where its node was not Ready when it was assigned', async () => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const { clock } = replicas
  await aDeadAgent(replicas)
  await becomesReady(replicas, 'False')
  await clock.advance(MINUTE)
  replicas.push('c', aFleet({ v: 5, rollout }))
  await clock.advance(30 * MINUTE)
  await becomesReady(replicas, 'True')
  await clock.advance(30 * MINUTE)
  expect(await readiness(replicas)).toBe('False NodesFailed')
})

test.each([
  ['agentTimeout', rollout, 110],
  ['applyTimeout', 'applyTimeout: 3m, waves: [{name: canary, nodes: 1}, {name: all, nodes: "100%"}]', 170],
  ['a short applyTimeout', 'applyTimeout: 1m, waves: [{name: canary, nodes: 1}, {name: all, nodes: "100%"}]', 50],
])('a silent agent that begins just before %s is over has its time from then', async (_, policy, begins) => {
  await using replicas = await Replicas.create({ nodes: 3 })
  const { clock } = replicas
  const { revive } = await aDeadAgent(replicas)
  replicas.push('c', aFleet({ v: 5, rollout: policy }))
  await clock.advance(begins * 1000)
  expect((await beginsNow(replicas, revive)).NODE_WAS).toBe('Silent')
  await clock.advance(20 * MINUTE)
  expect(await readiness(replicas)).toBe('True Completed')
})
