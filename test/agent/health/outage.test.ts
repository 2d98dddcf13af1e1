/** An outage of the API server, which begins with a change or before it, looks like a change that cuts the node off. */
import { expect, test } from 'vitest'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { FLAGS, loseNetworkAt, MINUTE, obeyRules, RULES, reported, rules, settled } from '../support/firewall.ts'
import { Machine } from '../support/machine.ts'

test('agent tries a change again, and blames it for nothing, when an outage of the API server began with it', async () => {
  const { machine, good } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.advance(20 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
  machine.host.faults.network = undefined

  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', lastKnownGood: digest })
  expect(reported(machine)).not.toContain('RolledBack')
})

test('agent that starts in such an outage leaves the host as it is until the API server says something', async () => {
  const { machine, good } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.advance(3 * MINUTE)
  machine.kill()
  machine.start()
  await machine.clock.advance(20 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
  machine.host.faults.network = undefined

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ active: digest })
})

test('agent takes up what is assigned instead of a change that it went back from in an outage', async () => {
  const { machine } = await settled()
  machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.advance(5 * MINUTE)
  const newer = machine.assign({ ...rules('accept\n'), flags: '--v=4' })
  machine.host.faults.network = undefined

  expect(await machine.untilDigest(newer, 'Applied')).toMatchObject({ active: newer })
})

test('agent gives a change up when the API server is lost with each of three attempts, however late it comes back', async () => {
  const { machine, good } = await settled()
  obeyRules(machine, 5 * MINUTE)
  const deadly = machine.assign(rules('drop\n'))

  const status = await machine.until('RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack', digest: deadly, active: good, error: { reason: 'ApiServerLost' } })
  expect(machine.logged.filter((line) => line.startsWith('going back to what last worked'))).toHaveLength(3)
  await machine.clock.advance(60 * MINUTE)
  expect(machine.host.files.text(RULES)).toBe('accept\n')
})

test('agent gives a change up that loses the API server each time also where what it needs cannot be had at once after it', async () => {
  const machine = new Machine()
  const release = (version: string) => ({ version, host: JSON.stringify({ kubelet: machine.release(version) }) })
  machine.start()
  const good = machine.assign(release('1.36.1'))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const digest = machine.assign(release('1.36.3'))
  const url = 'https://releases.test/v1.36.3/kubelet'
  const binary = machine.artifacts.get(url) ?? new Uint8Array()
  const active = (): string | undefined => machine.host.files.text('/var/lib/nodewave/meta/active')
  for (let loss = 1; loss <= 3; loss++) {
    await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/journal.jsonl') !== undefined)
    machine.host.faults.network = 'lost'
    await machine.clock.runUntil(() => active() === `${digest}\n`)
    await machine.clock.runUntil(() => active() === `${good}\n`)
    await machine.clock.advance(2 * MINUTE)
    machine.artifacts.delete(url)
    machine.host.faults.network = undefined
    await machine.clock.advance(2 * MINUTE)
    machine.artifacts.set(url, binary)
  }
  await machine.clock.advance(10 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', digest, error: { reason: 'ApiServerLost' } })
})

test('agent tries a change again only when the API server has answered for a minute, and blames it for no outage that comes and goes', async () => {
  const { machine } = await settled()
  const digest = machine.assign(rules('accept all\n'))
  await machine.clock.runUntil(() => machine.host.files.text(RULES) === 'accept all\n')
  for (let outage = 1; outage <= 3; outage++) {
    machine.host.faults.network = 'lost'
    await machine.clock.advance(5 * MINUTE)
    machine.host.faults.network = undefined
    await machine.clock.advance(15_000)
  }
  expect(machine.host.files.text(RULES)).toBe('accept\n')

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ active: digest })
  expect(reported(machine)).not.toContain('RolledBack')
})

test('agent waits ten minutes for an API server whose machine refuses connections: it may be starting', async () => {
  const { machine, good } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text(FLAGS)?.includes('--v=3') ?? false)
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6443'), { code: 'ECONNREFUSED' })
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable', cause }))
  await machine.clock.advance(9 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
  await machine.clock.advance(3 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
})

test('agent stays with a change when an API server that refused connections for minutes leaves one question unanswered', async () => {
  const { machine } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text(FLAGS)?.includes('--v=3') ?? false)
  const { get } = machine.node
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6443'), { code: 'ECONNREFUSED' })
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable', cause }))
  await machine.clock.advance(3 * MINUTE)
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Timeout' }))
  await machine.clock.advance(20_000)
  machine.node.get = get
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest, active: digest })
})

test('agent stays with a change when the API server refuses to say anything: it answers', async () => {
  const { machine } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text(FLAGS)?.includes('--v=3') ?? false)
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 403, reason: 'Forbidden' }))
  await machine.clock.advance(30 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
})

test('agent stays with a change when the API server is met, and takes longer for each answer than the agent waits', async () => {
  const { machine } = await settled()
  machine.node.get = async () => {
    await machine.clock.sleep(10_000)
    throw new KubeError('failed to get: no answer within 10000 ms', { code: 0, reason: 'Timeout', wasMet: true })
  }
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest, active: digest })
  expect(machine.status?.lastKnownGood).not.toBe(digest)
})

test('agent stays with a change of which it heard after it, whatever becomes of the API server and of the agent later', async () => {
  const { machine } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(20_000)
  machine.host.faults.network = 'lost'
  machine.kill()
  machine.start()
  await machine.clock.advance(30 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
})

/** It is assigned this; the network is lost, and its agent dies, between the begin of the change and its first effect. */
async function beginInAnOutage(machine: Machine, content: Parameters<Machine['assign']>[0]): Promise<string> {
  machine.kill()
  const digest = machine.assign(content)
  const process = machine.start({ after: { method: 'append' } })
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  machine.host.faults.network = 'lost'
  machine.start()
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') === `${digest}\n`)
  return digest
}

test('agent goes back from a change that it began in an outage of the API server, blames it for nothing, and tries it again', async () => {
  const { machine, good } = await settled()
  const digest = await beginInAnOutage(machine, { ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.advance(11 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
  machine.host.faults.network = undefined

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ active: digest })
  expect(reported(machine)).not.toContain('RolledBack')
})

test('agent stays with a change that it began in an outage of the API server when that ends within ten minutes', async () => {
  const { machine } = await settled()
  const digest = await beginInAnOutage(machine, { ...rules('accept\n'), flags: '--v=3' })
  await machine.clock.advance(9 * MINUTE)
  machine.host.faults.network = undefined
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', lastKnownGood: digest })
})

test('agent stays with a change that brings the API server back in ninety seconds', async () => {
  const { machine } = await settled()
  const digest = await beginInAnOutage(machine, { ...rules('accept\n'), flags: '--v=3' })
  const since = machine.clock.elapsed()
  const isFixed = (): boolean => machine.host.files.text(FLAGS)?.includes('--v=3') ?? false
  const isUp = (): boolean => isFixed() && machine.clock.elapsed() - since > 90_000
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isUp() ? undefined : 'lost') })

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ active: digest })
})

test('agent is not cut off for good by a change that it began in an outage of the API server', async () => {
  const { machine, good } = await settled()
  const digest = await beginInAnOutage(machine, rules('drop\n'))
  obeyRules(machine)

  const status = await machine.until('RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack', digest, active: good, error: { reason: 'ApiServerLost' } })
  expect(machine.host.files.text(RULES)).toBe('accept\n')
})

test('agent waits ten whole minutes for the API server after the same content is applied once more, however long it was missed before', async () => {
  const { machine, good } = await settled()
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable' }))
  const content = { ...rules('accept all\n'), flags: '--v=3' }
  const digest = machine.assign(content)
  await machine.clock.advance(8 * MINUTE)
  machine.host.files.put(FLAGS, 'KUBELET_EXTRA_ARGS="--v=4"\n')
  machine.assign(content, { REVISION: 'again' })
  await machine.clock.advance(9 * MINUTE)
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${digest}\n`)
  await machine.clock.advance(2 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
})

test('agent that was interrupted twice tries a change again after one outage of the API server', async () => {
  const { machine } = await settled()
  machine.kill()
  const digest = machine.assign({ ...rules('accept all\n'), flags: '--v=3' })
  for (const attempt of [1, 2]) {
    const process = machine.start({ after: { method: 'writeAtomic', subject: RULES } })
    await machine.clock.runUntil(() => process.dead)
    machine.kill()
    expect(machine.host.files.text('/var/lib/nodewave/meta/outcome.json')).toContain(`"attempts":${attempt}`)
  }
  machine.host.faults.network = 'lost'
  machine.start()
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') === `${digest}\n`)
  await machine.clock.advance(11 * MINUTE)
  machine.host.faults.network = undefined

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ active: digest })
  expect(reported(machine)).not.toContain('RolledBack')
})

test('agent whose disk takes no writes stays with a change when the API server answers first after it, and not again', async () => {
  const { machine } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') === `${digest}\n`)
  await machine.clock.advance(1_000)
  machine.host.faults.disk = 'EROFS'
  machine.host.faults.network = undefined
  machine.node.reconnect()
  await machine.untilDigest(digest, 'Applied')
  const { get } = machine.node
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable' }))
  await machine.clock.advance(5 * MINUTE)
  machine.host.faults.disk = undefined
  await machine.clock.advance(MINUTE)
  machine.kill()
  machine.start()
  await machine.clock.advance(5 * MINUTE)
  machine.node.get = get
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest, active: digest })
  expect(machine.logged.some((line) => line.startsWith('going back'))).toBe(false)
})
