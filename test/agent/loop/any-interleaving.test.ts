import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { Death } from '../../../src/sim/host/faults.ts'
import { SimulatedServices } from '../../../src/sim/host/simulated-services.ts'
import { lamps } from '../support/lamp-kind.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const CONFIG = '/var/lib/kubelet/config.yaml'
const MOTD = '/etc/motd'
const OLD_AGENT = new Kinds()
const NEW_AGENT = new Kinds([...ALL_KINDS, lamps])

function contents(machine: Machine): readonly NodeContent[] {
  const release = (version: string, more: object = {}) => JSON.stringify({ kubelet: machine.release(version), ...more })
  const motd = (content: string) => ({ files: [{ path: MOTD, content }] })
  return [
    { version: '1.36.3', flags: '--v=3', config: 'maxPods: 51\n', host: release('1.36.3', motd('ours 0\n')) },
    { flags: '--v=4', config: 'maxPods: 52\nclusterDomain: ours.local\n', host: JSON.stringify(motd('ours 1\n')) },
    { flags: '--v=3', config: 'maxPods: 53\n', host: JSON.stringify({ ...motd('ours 2\n'), lamps: { red: 'ours' } }) },
    { flags: '--container-runtime-endpoint=unix:///none.sock', host: JSON.stringify(motd('ours 3\n')) },
    { version: '1.36.1', host: release('1.36.1', { lamps: { red: 'ours too' } }) },
  ]
}

const kubeadm = (domain: string) => `kind: KubeletConfiguration\nclusterDNS:\n  - 10.96.0.10\nclusterDomain: ${domain}\n`

/** What others do to the machine, each a few times with other values. */
const OTHERS: Readonly<Record<string, Happening>> = {
  kubeadm: ({ host }, which) => host.files.put(CONFIG, kubeadm(`theirs-${which}.local`)),
  field: ({ host: { files } }, which) => {
    const others = (files.text(CONFIG) ?? '').replace(/serializeImagePulls: .*\n/, '')
    files.put(CONFIG, `${others}serializeImagePulls: ${which === 0}\n`)
  },
  apt: ({ host }, which) => {
    host.files.put('/usr/bin/kubelet', `simulated kubelet v1.35.${which + 7}\n`)
    return host.services.restart('kubelet.service')
  },
  edit: ({ host }, which) => host.files.put(MOTD, `theirs ${which}\n`),
  flags: ({ host }, which) => host.files.put('/etc/default/kubelet', `KUBELET_EXTRA_ARGS="--node-ip=10.0.0.${which}"\n`),
}

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('assign'), which: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'register'), which: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill'), which: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait'), which: fc.constantFrom(100, 4000, 20_000, 900_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('network', 'reboot'), which: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('agent'), which: fc.nat({ max: 1 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom(...Object.keys(OTHERS)), which: fc.nat({ max: 2 }) }) },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

function furnished(): Machine {
  const machine = new Machine({ kinds: NEW_AGENT })
  machine.host.files.put(MOTD, 'theirs from the beginning\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/sys/lamps/red', 'theirs')
  return machine
}

async function play(machine: Machine, events: readonly Event[]): Promise<void> {
  for (const [index, { do: what, which }] of events.entries()) {
    const happen = OTHERS[what] ?? HAPPENINGS[what]
    await happen?.(machine, which, index)
  }
}

type Happening = (machine: Machine, which: number, index: number) => Promise<void> | void

const HAPPENINGS: Readonly<Record<string, Happening>> = {
  assign: (machine, which, index) => void machine.assign(contents(machine)[which] ?? {}, { ASSIGNED: String(index) }),
  remove: (machine) => machine.annotate(null),
  register: ({ node }, _, index) => node.registerAnew(`u${index}`),
  wait: ({ clock }, milliseconds) => clock.advance(milliseconds),
  network: ({ host }, which) => {
    host.faults.network = which === 0 ? 'lost' : undefined
  },
  kill: (machine, effect) => restart(machine, { afterEffect: effect }),
  agent: (machine, which) => {
    machine.kinds = which === 0 ? OLD_AGENT : NEW_AGENT
    restart(machine)
  },
  reboot: (machine) => {
    machine.host.powerOff()
    machine.kill()
    machine.host.powerOn()
    machine.start()
  },
}

function restart(machine: Machine, death?: Death): void {
  machine.kill()
  machine.start(death)
}

/** Everything is well again, and the newest agent runs. */
async function heal(machine: Machine): Promise<void> {
  machine.kill()
  machine.host.faults.network = undefined
  machine.kinds = NEW_AGENT
  machine.start()
  await machine.clock.advance(10 * MINUTE)
}

/** The last word of everybody else, while nothing is under way. */
async function changeAll(machine: Machine): Promise<void> {
  for (const what of ['kubeadm', 'edit', 'flags', 'apt']) await OTHERS[what]?.(machine, 9, 0)
}

/** Nobody touches the kubelet of a machine that nobody touches. */
async function expectRest(machine: Machine): Promise<void> {
  await machine.clock.advance(30 * MINUTE)
  const restarts: string[] = []
  machine.host.services.restart = async (unit) => {
    restarts.push(unit)
    return SimulatedServices.prototype.restart.call(machine.host.services, unit)
  }
  await machine.clock.advance(60 * MINUTE)
  expect(restarts).toEqual([])
}

function expectWanted({ host: { files, services } }: Machine): void {
  expect(parse(files.text(CONFIG) ?? '')).toMatchObject({ clusterDomain: 'theirs-9.local', maxPods: 51 })
  expect(files.text(CONFIG)).not.toMatch(/maxPods: 5[23]|ours/)
  expect(files.text(MOTD)).toBe('ours 0\n')
  expect(files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9 --v=3"\n')
  expect(files.text('/sys/lamps/red')).toBe('theirs')
  expect(services.healthyVersion()).toBe('v1.36.3')
}

/** What is left is what others made of the machine. */
function expectTheirs({ host: { files, services } }: Machine): void {
  expect(files.text(CONFIG)).toBe(kubeadm('theirs-9.local'))
  expect(files.text(MOTD)).toBe('theirs 9\n')
  expect(files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--node-ip=10.0.0.9"\n')
  expect(files.text('/sys/lamps/red')).toBe('theirs')
  expect(services.healthyVersion()).toBe('v1.35.16')
}

test('agent ends in what is wanted and rests there, and gives back what others made, whatever happened in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 14 }), async (events) => {
      const machine = furnished()
      machine.start()
      await play(machine, events)
      await heal(machine)
      await changeAll(machine)
      const digest = machine.assign(contents(machine)[0] ?? {}, { ASSIGNED: 'last' })
      await machine.untilDigest(digest, 'Applied')
      await expectRest(machine)
      expect(machine.status).toMatchObject({ phase: 'Applied', digest })
      expectWanted(machine)

      machine.annotate(null)
      await machine.until('Reverted')
      await expectRest(machine)
      expectTheirs(machine)
    }),
    { numRuns: Number(process.env.HISTORIES ?? 60) },
  )
}, 600_000)
