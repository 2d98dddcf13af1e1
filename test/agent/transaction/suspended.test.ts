import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { defineKind } from '../../../src/agent/resources/define-kind.ts'
import type { Awaited, HostHands, Kind } from '../../../src/agent/resources/kind.ts'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const BOOT_PARAMETERS = '/etc/default/grub'
const RUNNING = '/proc/cmdline'
const parameters = z.object({ text: z.nullable(z.string()) })
type Parameters = z.infer<typeof parameters>

/** A kind whose changes count after the machine has started again, or under another agent. */
function bootParameters(awaits: Awaited): Kind<Parameters> {
  const kind: Kind<Parameters> = defineKind({
    name: 'boot-parameters',
    version: 1,
    subject: () => BOOT_PARAMETERS,
    observe: (_, host) => textOf(BOOT_PARAMETERS, host),
    differ: (wanted: Parameters, actual) => (wanted.text === actual ? undefined : wanted),
    disruption: () => 'reboot',
    perform: write,
    awaits: () => awaits,
    proof: {
      of: ({ text }) => text,
      complaint: async (text, host) => {
        const running = await textOf(RUNNING, host)
        return running === text ? undefined : `the machine runs with "${running}", not with "${text}"`
      },
    },
    undo: {
      fidelity: 'best effort',
      schema: parameters,
      leavesTrace: true,
      prepare: async (_, { host }) => ({ text: await textOf(BOOT_PARAMETERS, host) }),
      perform: write,
      isUndone: async ({ text }, host) => (await textOf(BOOT_PARAMETERS, host)) === text,
    },
    baseline: {
      collection: 'bootParameters',
      schema: parameters,
      key: () => BOOT_PARAMETERS,
      capture: async (_, { host }) => ({ text: await textOf(BOOT_PARAMETERS, host) }),
      giveBack: async (base) => kind.of(base),
    },
    section: {
      key: 'bootParameters',
      schema: z.string(),
      managed: () => ({ claims: [{ kind: 'boot-parameters', key: BOOT_PARAMETERS }], triggers: [] }),
      resources: async (text: string) => [kind.of({ text })],
    },
  })
  return kind
}

async function textOf(path: string, { files }: HostHands): Promise<string | null> {
  const bytes = await files.read(path)
  return bytes === undefined ? null : Buffer.from(bytes).toString()
}

async function write({ text }: Parameters, { files }: HostHands): Promise<void> {
  if (text === null) return files.remove(BOOT_PARAMETERS)
  await files.writeAtomic(BOOT_PARAMETERS, Buffer.from(text))
}

function machineThat({ awaits = 'boot' as Awaited, version = '1.0.0' } = {}): Machine {
  const machine = new Machine({ kinds: new Kinds([...ALL_KINDS, bootParameters(awaits)]), agent: { version } })
  machine.host.files.put(BOOT_PARAMETERS, 'quiet')
  machine.host.files.put(RUNNING, 'quiet')
  return machine
}

function reboot(machine: Machine): void {
  machine.host.powerOff()
  machine.kill()
  machine.host.files.put(RUNNING, machine.host.files.text(BOOT_PARAMETERS) ?? '')
  machine.host.powerOn()
  machine.start()
}

const content = (text: string) => ({ host: JSON.stringify({ bootParameters: text }), flags: '--v=3' })
const GRANTED = { GRANT: 'reboot' } as const
const isAwaiting = (machine: Machine) => machine.status?.error?.reason === 'Awaiting'

async function suspended(machine: Machine): Promise<string> {
  machine.start()
  await machine.clock.advance(5000)
  const digest = machine.assign(content('debug'), GRANTED)
  await machine.clock.runUntil(() => isAwaiting(machine))
  return digest
}

test('transaction that waits for a reboot is neither kept nor undone before, and restarts nothing meanwhile', async () => {
  const machine = machineThat()
  await suspended(machine)
  const { mainPid } = await machine.host.services.show('kubelet.service')
  for (let times = 0; times < 3; times++) {
    await machine.clock.advance(20 * MINUTE)
    machine.kill()
    machine.start()
  }
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({
    phase: 'Applying',
    error: { reason: 'Awaiting', message: 'the change is in place and waits for a reboot' },
  })
  expect(machine.host.files.text('/var/lib/nodewave/meta/active')).toBeUndefined()
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
})

test('transaction that waited for a reboot is proved after it', async () => {
  const machine = machineThat()
  const digest = await suspended(machine)
  reboot(machine)

  expect(await machine.until('Applied')).toMatchObject({ digest, active: digest })
  expect(machine.status).not.toHaveProperty('error')
})

test('transaction that has not proved itself after the reboot is undone', async () => {
  const machine = machineThat()
  await suspended(machine)
  reboot(machine)
  machine.host.files.put(RUNNING, 'quiet')

  expect((await machine.until('RolledBack')).error).toEqual({
    reason: 'HealthCheckFailed',
    message: 'failed to validate config: the machine runs with "quiet", not with "debug"',
  })
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
})

test.each([
  ['something else is assigned', (machine: Machine) => machine.assign({ flags: '--v=5' }), 'Applied'],
  ['the annotation is removed', (machine: Machine) => machine.annotate(null), 'Reverted'],
] as const)('transaction that is suspended is undone when %s', async (_, change, phase) => {
  const machine = machineThat()
  await suspended(machine)
  change(machine)
  await machine.until(phase)

  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
})

test('transaction that waits for a version of the agent is resumed by that one, and by no other', async () => {
  const machine = machineThat({ awaits: { agent: '2.0.0' } })
  const digest = await suspended(machine)
  reboot(machine)
  await machine.clock.advance(20 * MINUTE)
  expect(isAwaiting(machine)).toBe(true)
  machine.kill()
  machine.host.files.put(RUNNING, 'debug')
  machine.start({}, { version: '2.0.0' })

  expect(await machine.until('Applied')).toMatchObject({ digest, agent: '2.0.0' })
})

test('transaction that waits for a reboot comes to the same end when the agent is killed after any effect', async () => {
  for (let effect = 1; effect <= 30; effect++) {
    const machine = machineThat()
    const digest = machine.assign(content('debug'), GRANTED)
    const agent = machine.start({ afterEffect: effect })
    await machine.clock.runUntil(() => agent.dead || isAwaiting(machine))
    machine.kill()
    machine.start()
    await machine.clock.runUntil(() => isAwaiting(machine) || machine.status?.phase === 'Applied')
    reboot(machine)
    await machine.clock.runUntil(() => machine.status?.phase === 'Applied')
    expect(machine.status, `killed after effect ${effect}`).toMatchObject({ digest, active: digest })
    expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
  }
})

test('agent asks before it goes back, or returns the host, when that needs more than a restart', async () => {
  const machine = machineThat()
  machine.start()
  await machine.untilDigest(machine.assign({ flags: '--v=2' }), 'Applied')
  await machine.clock.advance(11 * MINUTE)
  const digest = machine.assign(content('debug'), GRANTED)
  await machine.clock.runUntil(() => isAwaiting(machine))
  reboot(machine)
  await machine.untilDigest(digest, 'Applied')
  const desired = JSON.parse(machine.node.annotations['nodewave.io/desired-config'] ?? '')
  machine.annotate({ ...desired, GRANT: 'restart' })
  await machine.clock.advance(MINUTE)
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot', active: digest })
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
})

test('agent asks before it returns a host to what it was when that needs a reboot', async () => {
  const machine = machineThat()
  await suspended(machine)
  reboot(machine)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.annotate(null)

  expect(await machine.until('Blocked')).toMatchObject({ needs: 'reboot' })
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('debug')
})

/** In its trial, with something that only a reboot takes back, and bad. */
async function asking(): Promise<{ readonly machine: Machine; readonly good: string; readonly bad: string }> {
  const machine = machineThat()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.untilDigest(good, 'Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign(content('debug'), GRANTED)
  await machine.clock.runUntil(() => isAwaiting(machine))
  reboot(machine)
  await machine.untilDigest(bad, 'Applied')
  const desired = JSON.parse(machine.node.annotations['nodewave.io/desired-config'] ?? '')
  machine.annotate({ ...desired, GRANT: 'restart' })
  await machine.clock.advance(MINUTE)
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.until('Blocked')
  return { machine, good, bad }
}

test('agent that asked to go back by a reboot goes back when it is granted that, and does not try again what went bad', async () => {
  const { machine, good, bad } = await asking()
  expect(machine.status).toMatchObject({ needs: 'reboot', error: { reason: 'TrialFailed' } })
  await machine.clock.advance(3 * 60 * MINUTE)
  expect(machine.status?.phase).toBe('Blocked')
  machine.assign(content('debug'), { ...GRANTED, ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await machine.clock.runUntil(() => isAwaiting(machine))
  expect(machine.status?.assignedAt).toBe('2026-11-21T08:00:00.000Z')
  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
  reboot(machine)

  expect(await machine.until('RolledBack', 'Applied', 'Failed')).toMatchObject({
    phase: 'RolledBack',
    digest: bad,
    active: good,
    error: { reason: 'TrialFailed' },
  })
  await machine.clock.advance(60 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'RolledBack', active: good })
})

test('agent that asked to go back takes another content as that, and not as leave to go back', async () => {
  const { machine } = await asking()
  const fix = machine.assign({ ...content('debug'), flags: '--v=4' })

  expect(await machine.untilDigest(fix, 'Applied')).toMatchObject({ active: fix })
})

test('agent gives a host back by a reboot when an assignment that names nothing grants that', async () => {
  const machine = machineThat()
  await suspended(machine)
  reboot(machine)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.annotate(null)
  await machine.until('Blocked')
  machine.annotate({ GRANT: 'reboot' })
  await machine.clock.runUntil(() => isAwaiting(machine))
  reboot(machine)
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.host.files.text(BOOT_PARAMETERS)).toBe('quiet')
  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS=\n')
})
