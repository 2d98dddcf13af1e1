import { expect, test } from 'vitest'
import { atMost, DISRUPTIONS, type Disruption } from '../../../src/protocol/desired-config.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { Death } from '../../../src/sim/host/faults.ts'
import { FakeNode } from '../support/fake-node.ts'
import { Machine } from '../support/machine.ts'

const FIRST = '2026-11-21T08:00:00.000Z'
const SECOND = '2026-11-21T09:00:00.000Z'

/** A machine, and what is asked of the API server and of the release server. */
async function running(death?: Death) {
  const machine = new Machine({ version: '1.35.4' })
  const asked: string[] = []
  const { configMap } = FakeNode.prototype
  machine.node.configMap = (namespace, name) => {
    asked.push(name.slice(0, name.indexOf('-')))
    return configMap.call(machine.node, namespace, name)
  }
  const content: NodeContent = { version: '1.36.3', flags: '--v=3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) }
  await machine.clock.advance(5000)
  const agent = machine.start(death)
  return { machine, content, asked, agent }
}

test('grants include the lesser ones', () => {
  const covered = DISRUPTIONS.map((grant) => [grant, DISRUPTIONS.filter((needed) => atMost(needed, grant))])

  expect(covered).toEqual([
    ['none', ['none']],
    ['restart', ['none', 'restart']],
    ['drain', ['none', 'restart', 'drain']],
    ['reboot', ['none', 'restart', 'drain', 'reboot']],
  ])
})

test('agent that needs more than it was granted says so, and touches nothing', async () => {
  const { machine, content } = await running()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const before = machine.hostFiles()
  const digest = machine.assign(content, { GRANT: 'none', ASSIGNED: FIRST })

  expect(await machine.until('Blocked')).toMatchObject({ digest, needs: 'restart', assignedAt: FIRST })
  await machine.clock.advance(3_600_000)
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(Object.keys(machine.host.files.snapshot()).filter((path) => path.includes('/staging/'))).toEqual([])
  expect(machine.node.patches).toHaveLength(1)
})

test.each<Disruption>(['restart', 'drain', 'reboot'])(
  'agent that was blocked goes on at once when it is granted "%s", and asks for nothing twice',
  async (GRANT) => {
    const { machine, content, asked } = await running()
    machine.assign(content, { GRANT: 'none', ASSIGNED: FIRST })
    await machine.until('Blocked')
    await machine.clock.advance(120_000)
    const grantedAt = machine.clock.elapsed()
    const digest = machine.assign(content, { GRANT, ASSIGNED: SECOND })
    const taken = await machine.until('Applying')
    expect([taken.assignedAt, machine.clock.elapsed() - grantedAt]).toEqual([SECOND, 0])
    const status = await machine.until('Applied')

    expect(status).toMatchObject({ digest, active: digest, assignedAt: SECOND, kubelet: '1.36.3' })
    expect(status).not.toHaveProperty('needs')
    expect(asked).toEqual(['kubelet', 'host'])
  },
)

test('agent brings another minor release under the grant "restart": the controller decides whether the node is drained for it', async () => {
  const machine = new Machine({ version: '1.35.4' })
  machine.start()
  await machine.clock.advance(5000)
  const host = JSON.stringify({ kubelet: machine.release('1.36.1') })
  const digest = machine.assign({ version: '1.36.1', host }, { GRANT: 'restart' })

  const status = await machine.until('Applied', 'Blocked')

  expect(status).toMatchObject({ phase: 'Applied', digest, active: digest, kubelet: '1.36.1' })
  expect(status).not.toHaveProperty('needs')
  expect(machine.host.services.healthyVersion()).toBe('v1.36.1')
  expect(machine.host.reboots).toBe(0)
})

test('agent that is granted too little again says so of the second assignment', async () => {
  const { machine, content } = await running()
  machine.assign(content, { GRANT: 'none', ASSIGNED: FIRST })
  await machine.until('Blocked')
  machine.assign(content, { GRANT: 'none', ASSIGNED: SECOND })
  await machine.clock.runUntil(() => machine.status?.assignedAt === SECOND)

  expect(machine.status).toMatchObject({ phase: 'Blocked', needs: 'restart' })
})

test('agent reads what an annotation names when it names something else under the old digest, and refuses it', async () => {
  const { machine, content, asked } = await running()
  const digest = machine.assign(content, { GRANT: 'none', ASSIGNED: FIRST })
  await machine.until('Blocked')
  machine.assign({ ...content, flags: '--v=9' }, { GRANT: 'restart', ASSIGNED: SECOND, DIGEST: digest })
  await machine.until('Fetching')

  expect(machine.status?.error?.reason).toBe('DigestMismatch')
  expect(asked.length).toBeGreaterThan(2)
})

test('agent that dies after any effect of a grant comes to the same end', async () => {
  const story = async (death?: Death) => {
    const { machine, content, agent } = await running(death)
    machine.assign(content, { GRANT: 'none', ASSIGNED: FIRST })
    const blocked = () => machine.status?.phase === 'Blocked'
    await machine.clock.runUntil(() => agent.dead || blocked())
    machine.assign(content, { GRANT: 'drain', ASSIGNED: SECOND })
    const ended = () => machine.status?.phase === 'Applied' && machine.status.assignedAt === SECOND
    await machine.clock.runUntil(() => agent.dead || ended())
    if (agent.dead) {
      machine.kill()
      machine.start()
      await machine.clock.runUntil(ended)
    }
    return { files: machine.hostFiles(), effects: agent.effects }
  }
  const calm = await story()
  expect(calm.effects).toBeGreaterThan(20)
  for (let effect = 1; effect <= calm.effects; effect++)
    expect((await story({ afterEffect: effect })).files, `died after effect ${effect}`).toEqual(calm.files)
})
