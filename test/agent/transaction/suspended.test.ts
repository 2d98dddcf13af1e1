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
