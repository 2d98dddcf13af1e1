/** A change may take the way to the API server away: firewalls, routes, names, clocks. Nobody could tell such a node to go back. */
import { expect, test } from 'vitest'
import type { ServiceManager } from '../../../src/agent/ports.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { machineWithBootParameters, RUNNING } from '../support/boot-parameters.ts'
import { FLAGS, loseNetworkAt, MINUTE, obeyRules, RULES, reported, rules, settled } from '../support/firewall.ts'
import { CPU_STATE, withKubeletStates } from '../support/kubelet-state.ts'
import { Machine } from '../support/machine.ts'

const STATUS = 'nodewave.io/status'
const IN_USE = JSON.stringify({ policyName: 'static', defaultCpuSet: '0-1', entries: { pod: { web: '2' } }, checksum: 1 })

test('agent goes back when a change cuts it off from the API server, and says so', async () => {
  const { machine, good } = await settled()
  obeyRules(machine)
  const assignedAt = machine.clock.elapsed()
  const deadly = machine.assign(rules('drop\n'))

  const status = await machine.until('RolledBack', 'Failed')

  expect(status).toMatchObject({ phase: 'RolledBack', digest: deadly, active: good, error: { reason: 'ApiServerLost' } })
  expect(status.error?.message).toBe(
    'failed to validate config: the API server answered right before the change, and not once in the 60 s after it',
  )
  expect(machine.host.files.text(RULES)).toBe('accept\n')
  expect(machine.clock.elapsed() - assignedAt).toBeLessThan(2 * MINUTE)
})

test('agent goes back when a change lets it make no new connection to the API server, and those that stand go on', async () => {
  const { machine, good } = await settled()
  const { get } = machine.node
  machine.node.get = async (options) => {
    if (!options?.newConnection || machine.host.files.text(RULES) === 'accept\n') return get.call(machine.node)
    throw new KubeError('failed to get', { code: 0, reason: 'Timeout' })
  }
  const deadly = machine.assign(rules('drop new\n'))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({
    digest: deadly,
    active: good,
    error: { reason: 'ApiServerLost' },
  })
})

test('agent goes back in two minutes when a change cuts it off from an API server that took seven seconds for each answer', async () => {
  const { machine } = await settled()
  obeyRules(machine)
  const { get } = machine.node
  machine.node.get = async () => {
    await machine.clock.sleep(7_000)
    return get.call(machine.node)
  }
  const assignedAt = machine.clock.elapsed()
  machine.assign(rules('drop\n'))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ error: { reason: 'ApiServerLost' } })
  expect(machine.clock.elapsed() - assignedAt).toBeLessThan(2 * MINUTE)
})

test('agent says why it went back as soon as it finds the API server again', async () => {
  const { machine } = await settled()
  obeyRules(machine, 8_000)
  machine.assign(rules('drop\n'))
  await machine.clock.runUntil(() => machine.host.files.text(RULES) === 'drop\n')
  await machine.clock.runUntil(() => machine.logged.some((line) => line.startsWith('the API server is found again')))
  const foundAt = machine.clock.elapsed()

  await machine.until('RolledBack')
  expect(machine.clock.elapsed() - foundAt).toBeLessThan(1_000)
})

/** Phases that the Node was ever made to show for this digest. */
const phasesOf = ({ node }: Machine, digest: string): string[] => {
  const shown = node.patches.flatMap((patch) => {
    const status = parseAgentStatus(patch[STATUS] ?? undefined)
    return status?.digest === digest ? [status.phase] : []
  })
  return [...new Set(shown)]
}

test('agent never shows a change as applied that cut it off, however soon the API server is found after the undo', async () => {
  const { machine } = await settled()
  obeyRules(machine)
  const deadly = machine.assign(rules('drop\n'))
  await machine.clock.runUntil(() => machine.host.files.text(RULES) === 'drop\n')
  await machine.clock.runUntil(() => machine.host.files.text(RULES) === 'accept\n')
  await machine.clock.advance(1)
  machine.node.reconnect()
  await machine.until('RolledBack')

  expect(phasesOf(machine, deadly)).toEqual(['Applying', 'RolledBack'])
})

/** A change is in place, and no question to the API server has been answered since, nor is one before `answerAgain`. */
async function appliedUnanswered() {
  const { machine } = await settled()
  const digest = machine.assign({ ...rules('accept\n'), flags: '--v=3' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.runUntil(() => machine.logged.some((line) => line.startsWith('Applied')))
  const { get } = machine.node
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable' }))
  const answerAgain = (): void => {
    machine.node.get = get
  }
  return { machine, digest, answerAgain }
}

test('agent shows no change as applied before it was answered after it, whatever of its own reports arrives', async () => {
  const { machine, digest, answerAgain } = await appliedUnanswered()
  machine.host.faults.network = undefined
  machine.node.reconnect()
  await machine.clock.advance(20_000)
  expect(phasesOf(machine, digest)).toEqual(['Applying', 'Verifying'])

  answerAgain()
  await machine.untilDigest(digest, 'Applied')
})

test('agent that restarts shows no change as applied before it was answered after it', async () => {
  const { machine, digest, answerAgain } = await appliedUnanswered()
  machine.kill()
  machine.host.faults.network = undefined
  machine.start()
  await machine.clock.advance(20_000)
  expect(phasesOf(machine, digest)).toEqual(['Applying', 'Verifying'])

  answerAgain()
  await machine.untilDigest(digest, 'Applied')
})

/** A daemon that sets the network up by its file when it starts, and forgets a route only when it is told to. */
function withNetworkDaemon(machine: Machine): void {
  const { files } = machine.host
  const services: ServiceManager = machine.host.services
  let isCut = false
  const restart = services.restart.bind(services)
  const asks = (units: readonly string[]): boolean => units.includes('nftables.service')
  const isDropping = (): boolean => files.text(RULES)?.includes('drop') ?? false
  services.restart = async (unit) => {
    await restart(unit)
    if (asks([unit])) isCut ||= isDropping()
  }
  Object.assign(services, {
    dropLeftovers: async (units: readonly string[]) => {
      if (asks(units)) isCut = isDropping()
    },
  })
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isCut ? 'lost' : undefined) })
}

test('agent has what a restarted unit left taken away when it goes back, and is reached again', async () => {
  const { machine } = await settled()
  withNetworkDaemon(machine)
  const deadly = machine.assign(rules('drop\n'))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ digest: deadly, error: { reason: 'ApiServerLost' } })
  expect(machine.host.files.text(RULES)).toBe('accept\n')
})

test('agent has what a restarted unit left taken away when the change itself fails', async () => {
  const { machine } = await settled()
  withNetworkDaemon(machine)
  machine.assign({ ...rules('drop\n'), flags: '--container-runtime-endpoint=unix:///run/none.sock' })

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ error: { reason: 'HealthCheckFailed' } })
})

/** The network is away from the restart of the firewall with rules that drop everything, and there again with others. @param before the restart */
function obeyFirewall(machine: Machine, before: () => void): void {
  const { files } = machine.host
  const services: ServiceManager = machine.host.services
  const restart = services.restart.bind(services)
  let isCut = false
  services.restart = async (unit) => {
    const isDropping = files.text(RULES)?.includes('drop') ?? false
    if (unit === 'nftables.service' && isDropping) before()
    await machine.clock.sleep(200)
    await restart(unit)
    if (unit === 'nftables.service') isCut = isDropping
  }
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isCut ? 'lost' : undefined) })
}

test('agent that restarts goes back from a change that cut it off when the same content was assigned again meanwhile', async () => {
  const { machine, good } = await settled()
  obeyFirewall(machine, () => machine.assign(rules('drop\n'), { REVISION: 'again' }))
  const deadly = machine.assign(rules('drop\n'))
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') === `${deadly}\n`)
  await machine.clock.advance(25_000)
  machine.kill()
  machine.start()
  await machine.clock.advance(2 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
  expect(machine.host.files.text(RULES)).toBe('accept\n')
})

test('agent goes back when it has heard of the API server in a trial, and is cut off when the same is applied once more', async () => {
  const { machine, good } = await settled()
  const content = { ...rules('accept all\n'), flags: '--v=3' }
  const digest = machine.assign(content)
  await machine.untilDigest(digest, 'Applied')
  await machine.clock.advance(20_000)
  machine.host.files.put(FLAGS, 'KUBELET_EXTRA_ARGS="--v=4"\n')
  machine.assign(content, { REVISION: 'again' })
  await loseNetworkAt(machine, '--v=3')
  await machine.clock.advance(2 * MINUTE)

  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
})

test('agent goes back from a change that cuts the machine off with its boot: what the way there was allowed, the way back is, too', async () => {
  const machine = machineWithBootParameters()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const isCut = (): boolean => machine.host.files.text(RUNNING)?.includes('deadly') ?? false
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isCut() ? 'lost' : undefined) })
  const host = JSON.stringify({ bootParameters: 'quiet deadly' })
  const digest = machine.assign({ flags: '--v=2', host }, { GRANT: 'reboot' })

  expect(await machine.until('RolledBack')).toMatchObject({ digest, active: good, error: { reason: 'ApiServerLost' } })
  expect(machine.host.files.text(RUNNING)).toBe('quiet')
})

/** It went to the static policy, and a pod has CPUs by it since: to go back takes a drain. The network is lost with the change. */
async function lostWithPods() {
  const machine = new Machine()
  withKubeletStates(machine)
  machine.start()
  machine.assign({ config: 'maxPods: 100\n' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const digest = machine.assign({ config: 'cpuManagerPolicy: static\nkubeReserved: {cpu: 500m}\n' })
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/kubelet/config.yaml')?.includes('static') ?? false)
  machine.host.faults.network = 'lost'
  await machine.clock.advance(20_000)
  machine.host.files.put(CPU_STATE, IN_USE)
  return { machine, digest }
}

test('agent asks for no drain to go back for want of the API server, and stays with the change when that answers', async () => {
  const { machine, digest } = await lostWithPods()
  await machine.clock.advance(20 * MINUTE)
  const before = machine.node.patches.length
  machine.host.faults.network = undefined
  machine.node.reconnect()
  await machine.clock.advance(MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  await machine.clock.advance(10 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', lastKnownGood: digest })
  expect(JSON.stringify(machine.node.patches.slice(before))).not.toContain('Blocked')
})

/** To go back from its release takes a download of eight minutes; no question to the API server has been answered since, nor is one before `answerAgain`. */
async function lostWithoutStaged() {
  const machine = new Machine({ durations: { download: 8 * MINUTE } })
  const release = (version: string) => ({ version, host: JSON.stringify({ kubelet: machine.release(version) }) })
  machine.start()
  const good = machine.assign(release('1.36.1'))
  await machine.clock.advance(20 * MINUTE)
  await machine.untilDigest(good, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  const digest = machine.assign(release('1.36.3'))
  const { files } = machine.host
  await machine.clock.runUntil(() => files.text('/var/lib/nodewave/journal.jsonl') !== undefined)
  const { get } = machine.node
  machine.node.get = () => Promise.reject(new KubeError('failed to get', { code: 0, reason: 'Unreachable' }))
  await machine.clock.advance(30_000)
  for (const path of Object.keys(files.snapshot())) if (path.includes('/staging/kubelet-')) await files.remove(path)
  const answerAgain = (): void => {
    machine.node.get = get
  }
  return { machine, digest, answerAgain }
}

test('agent stays with a change when the API server answers while what it would go back to is being downloaded', async () => {
  const { machine, digest, answerAgain } = await lostWithoutStaged()
  await machine.clock.advance(5 * MINUTE)
  answerAgain()
  await machine.clock.advance(40 * MINUTE)

  expect(machine.logged.some((line) => line.startsWith('going back to what last worked'))).toBe(true)
  expect(machine.status).toMatchObject({ phase: 'Applied', digest, lastKnownGood: digest })
  expect(reported(machine)).not.toContain('RolledBack')
})

test('agent that could not go back for want of the API server has not failed, and stays with the change when that answers', async () => {
  const { machine, digest, answerAgain } = await lostWithoutStaged()
  machine.artifacts.clear()
  await machine.clock.advance(15 * MINUTE)
  expect(machine.logged.some((line) => line.startsWith('could not go back'))).toBe(true)
  expect(machine.status).toMatchObject({ phase: 'Applying', digest, error: { reason: 'ApiServerLost' } })
  answerAgain()
  await machine.clock.advance(20_000)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  expect(phasesOf(machine, digest)).not.toContain('Failed')
})

/** The agent is about to go back, and dies with this write of the answer that it then gets. */
async function diesHearing(subject: string) {
  const { machine, digest, answerAgain } = await lostWithoutStaged()
  await machine.clock.advance(2 * MINUTE)
  machine.kill()
  const process = machine.start({ after: { method: 'writeAtomic', subject } })
  await machine.clock.advance(5_000)
  answerAgain()
  await machine.clock.runUntil(() => process.dead)
  machine.kill()
  return { machine, digest }
}

test.each(['trial.json', 'outcome.json'])(
  'agent that dies as it writes %s when the API server answers stays with the change as soon as it starts',
  async (name) => {
    const { machine, digest } = await diesHearing(`/var/lib/nodewave/meta/${name}`)
    machine.start()
    await machine.clock.advance(30_000)

    expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  },
)

test('agent that goes back for another reason by now goes on when the API server answers, and shows nothing as applied', async () => {
  const { machine, digest, answerAgain } = await lostWithoutStaged()
  await machine.clock.advance(2 * MINUTE)
  machine.kill()
  machine.host.injectCrash(() => 'panic: out of luck')
  machine.start()
  await machine.clock.advance(MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applying', digest, error: { reason: 'TrialFailed' } })
  answerAgain()
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applying', digest, error: { reason: 'TrialFailed' } })
})

test('agent has said that it goes back before what it puts back cuts it off', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(bad, 'Applied')
  const annotate = machine.node.annotate.bind(machine.node)
  machine.node.annotate = async (...said) => {
    await machine.clock.sleep(1_000)
    if (machine.host.faults.network === 'lost') throw new KubeError('no answer', { code: 0, reason: 'Unreachable' })
    return annotate(...said)
  }
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await loseNetworkAt(machine, '--v=2')
  await machine.clock.advance(MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applying', digest: bad, error: { reason: 'TrialFailed' } })
})

test.each([7, 25, 45])(
  'agent that is cut off by a change and restarts every %i seconds goes back in two minutes',
  async (seconds) => {
    const { machine, good } = await settled()
    obeyRules(machine)
    machine.assign(rules('drop\n'))
    await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') !== `${good}\n`)
    for (let left = 2 * MINUTE; left > 0; left -= seconds * 1_000) {
      machine.kill()
      machine.start()
      await machine.clock.advance(seconds * 1_000)
    }

    expect(machine.host.files.text(RULES)).toBe('accept\n')
    // It takes longer than 7 s to prove that the host is well.
    await machine.clock.advance(30_000)
    expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBe(`${good}\n`)
  },
)

test('agent that was down for an hour of its trial goes back only when nothing has come back for a minute since', async () => {
  const { machine } = await settled()
  obeyRules(machine)
  const deadly = machine.assign(rules('drop\n'))
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/meta/active') === `${deadly}\n`)
  await machine.clock.advance(20_000)
  machine.kill()
  await machine.clock.advance(60 * MINUTE)
  machine.start()
  await machine.clock.advance(50_000)
  expect(machine.host.files.text(RULES)).toBe('drop\n')
  await machine.clock.advance(MINUTE)

  expect(machine.host.files.text(RULES)).toBe('accept\n')
})

test('agent goes back when a change restarts the kubelet and a daemon that takes the network away five seconds later', async () => {
  const { machine } = await settled()
  const services: ServiceManager = machine.host.services
  const restart = services.restart.bind(services)
  let cutAt = Number.POSITIVE_INFINITY
  services.restart = async (unit) => {
    await restart(unit)
    if (unit === 'nftables.service') cutAt = machine.clock.elapsed() + 5_000
  }
  const isCut = (): boolean => machine.clock.elapsed() >= cutAt && machine.host.files.text(RULES) === 'drop\n'
  Object.defineProperty(machine.host.faults, 'network', { get: () => (isCut() ? 'lost' : undefined) })
  const deadly = machine.assign({ ...rules('drop\n'), flags: '--v=3' })

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ digest: deadly, error: { reason: 'ApiServerLost' } })
  expect(machine.host.files.text(RULES)).toBe('accept\n')
})
