/** What may happen to a machine, in any order: assignments, deaths, outages, other versions of the agent, and others who change the host. */
import fc from 'fast-check'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { Death } from '../../../src/sim/host/faults.ts'
import { lamps } from './lamp-kind.ts'
import { Machine } from './machine.ts'

export const CONFIG = '/var/lib/kubelet/config.yaml'
export const MOTD = '/etc/motd'
const OLD_AGENT = new Kinds()
export const NEW_AGENT = new Kinds([...ALL_KINDS, lamps])

/** Good ones that overlap in what they manage, and one with which no kubelet runs. */
export function contents(machine: Machine): readonly NodeContent[] {
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

export const kubeadm = (domain: string) => `kind: KubeletConfiguration\nclusterDNS:\n  - 10.96.0.10\nclusterDomain: ${domain}\n`

/** What others do to the machine, each a few times with other values. */
export const OTHERS: Readonly<Record<string, Happening>> = {
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

export const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('assign'), which: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'register'), which: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill'), which: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait'), which: fc.constantFrom(100, 4000, 20_000, 900_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('network', 'reboot'), which: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('agent'), which: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('pooled', 'crash', 'disk'), which: fc.nat({ max: 2 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom(...Object.keys(OTHERS)), which: fc.nat({ max: 2 }) }) },
)
export type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

export function furnished(): Machine {
  const machine = new Machine({ kinds: NEW_AGENT })
  machine.host.files.put(MOTD, 'theirs from the beginning\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/sys/lamps/red', 'theirs')
  return machine
}

export async function play(machine: Machine, events: readonly Event[]): Promise<void> {
  for (const [index, { do: what, which }] of events.entries()) {
    const happen = OTHERS[what] ?? HAPPENINGS[what]
    await happen?.(machine, which, index)
  }
}

type Happening = (machine: Machine, which: number, index: number) => Promise<void> | void

const HAPPENINGS: Readonly<Record<string, Happening>> = {
  assign: (machine, which, index) => void machine.assign(contents(machine)[which] ?? {}, { ASSIGNED: String(index) }),
  pooled: (machine, which, index) => {
    const more = { POOL: 'workers', ASSIGNED: String(index), GRANT: which === 2 ? 'none' : 'restart' } as const
    machine.assign(contents(machine)[which] ?? {}, more)
  },
  /** From now on kubelets with a flag of one of the contents die. */
  crash: ({ host }, which) =>
    host.injectCrash(({ args }) => (args.includes(`--v=${which + 2}`) ? 'panic: out of luck' : undefined)),
  disk: ({ host }, which) => {
    host.faults.disk = ([undefined, 'ENOSPC', 'EROFS'] as const)[which]
  },
  remove: (machine) => machine.annotate(null),
  register: ({ node }, _, index) => node.registerAgain(`u${index}`),
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
