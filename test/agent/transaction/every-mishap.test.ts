/**
 * Every kind, beside a package, at every boundary of the journal: what befalls the machine there changes nothing of how it ends. Agents that
 * are killed at any other effect are in the tests of each kind.
 */
import { expect, test } from 'vitest'
import { HOST_POLICY } from '../../../src/agent/paths.ts'
import { ALL_KINDS } from '../../../src/agent/resources/kinds.ts'
import { sha256Of } from '../../../src/agent/sha256.ts'
import { AUTHORITY } from '../../repo/certificates.ts'
import { aMachine, content, type Manager, offered, URL } from '../packages/a-machine.ts'
import { BAD_FLAGS } from '../support/kind-stories.ts'
import { withKubeletStates } from '../support/kubelet-state.ts'
import type { Machine } from '../support/machine.ts'
import { aStaticPod } from '../support/static-pods.ts'

const MINUTE = 60_000
const UNIT = '[Service]\nExecStart=/bin/tuned\n[Install]\nWantedBy=multi-user.target\n'
const TOOL = Buffer.from('tool\n')
const TOOL_URL = 'https://releases.test/tool'

interface Part {
  /** Default: apt. */
  readonly manager?: Manager
  readonly furnish?: (machine: Machine) => void
  readonly host?: object | ((machine: Machine) => object)
  /** Of the kubelet. */
  readonly config?: string
}

const GRUB: Part = {
  furnish: ({ host }) => {
    host.files.put('/etc/default/grub', 'GRUB_CMDLINE_LINUX=""\n')
    host.files.put('/usr/sbin/update-grub', '')
    void host.bootMenu.rebuild()
  },
  host: { kernelArguments: ['transparent_hugepage=never'] },
}
const SWAP: Part = {
  furnish: ({ host }) => {
    host.files.put('/etc/fstab', '/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw 0 0\n')
    void host.kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  },
  host: { swap: 'off' },
}
const ACCOUNTS: Part = {
  furnish: ({ host }) => {
    host.files.put('/etc/passwd', 'root:x:0:0:root:/root:/bin/bash\ncarol:x:1000:1000::/home/carol:/bin/sh\n')
    host.files.put('/etc/group', 'root:x:0:\ncarol:x:1000:\n')
  },
  host: {
    groups: [{ name: 'crew', gid: 1400 }],
    users: [
      { name: 'carol', shell: '/bin/bash' },
      { name: 'ada', uid: 1500 },
    ],
  },
}
const TIME: Part = {
  furnish: ({ host }) => void host.files.link('/etc/localtime', '/usr/share/zoneinfo/Etc/UTC'),
  host: { time: { zone: 'Europe/Berlin', ntp: { servers: ['ntp.example.com'] } } },
}
/** All others have it beside theirs. */
const PACKAGE: Part = {}

/** By the name of the kind. */
const PARTS: Readonly<Record<string, Part>> = {
  file: {
    furnish: ({ artifacts, host }) => {
      artifacts.set(TOOL_URL, TOOL)
      host.files.put('/usr/local/bin/helper', 'old\n', { mode: 0o750, uid: 7 })
    },
    host: { files: [{ path: '/usr/local/bin/helper', download: { url: TOOL_URL, sha256: sha256Of(TOOL) } }] },
  },
  'edited-file': {
    furnish: ({ host }) => host.files.put('/etc/hosts', '127.0.0.1 localhost\n'),
    host: { edits: [{ path: '/etc/hosts', blocks: [{ name: 'registry', content: '10.0.0.1 registry\n' }] }] },
  },
  directory: { host: { directories: [{ path: '/srv/new/deep', mode: '0711' }] } },
  link: TIME,
  group: ACCOUNTS,
  user: ACCOUNTS,
  unit: {
    host: { units: [{ name: 'tuned.service', content: UNIT, enabled: true, state: 'running' }] },
  },
  'kubelet-binary': { host: (machine) => ({ kubelet: machine.release('1.36.3') }) },
  'kubelet-config': { config: 'maxPods: 50\n' },
  'kubelet-environment': {},
  'kubelet-state': { furnish: withKubeletStates, config: 'cpuManagerPolicy: static\nmemoryManagerPolicy: Static\n' },
  'kernel-module': { host: { kernelModules: ['br_netfilter'] } },
  'kernel-arguments': GRUB,
  'trial-boot': {
    ...GRUB,
    furnish: (machine) => {
      machine.host.files.put('/usr/sbin/grub-reboot', '')
      GRUB.furnish?.(machine)
    },
  },
  'kernelArguments-entries': {
    furnish: ({ host }) =>
      host.files.put('/boot/loader/entries/a-6.1.conf', 'title A\nlinux /a/6.1/linux\noptions root=/dev/sda1 ro quiet\n'),
    host: { kernelArguments: ['transparent_hugepage=never'] },
  },
  sysctl: { host: { sysctls: { 'vm.swappiness': '10' } } },
  'sysctl-file': { host: { sysctls: { 'vm.swappiness': '10' } } },
  repository: PACKAGE,
  package: PACKAGE,
  swap: SWAP,
  'swap-fstab': SWAP,
  'time-servers': TIME,
  certificate: {
    furnish: ({ host }) => void host.trustStore.rebuild(),
    host: { certificates: [{ name: 'corp', content: AUTHORITY }] },
  },
  'static-pod': { host: { staticPods: [aStaticPod()] } },
  step: {
    furnish: ({ host }) =>
      host.files.put(HOST_POLICY, 'steps:\n  leave: {command: [/bin/mark, out], undo: [/bin/unmark, out]}\n', { mode: 0o644 }),
    host: { steps: { before: ['leave'] } },
  },
}

test('every kind of the agent has its part here', () => {
  expect(Object.keys(PARTS).sort()).toEqual(ALL_KINDS.map(({ name }) => name).sort())
})

/** One commit changes all of them; a boot loader is one or the other. */
const ALL_AT_ONCE: Part = (() => {
  const parts = Object.entries(PARTS).flatMap(([name, part]) => (name === 'kernelArguments-entries' ? [] : [part]))
  const hostOf = ({ host = {} }: Part, machine: Machine) => (typeof host === 'function' ? host(machine) : host)
  return {
    furnish: (machine) => {
      for (const furnish of new Set(parts.flatMap((part) => part.furnish ?? []))) furnish(machine)
    },
    host: (machine) => Object.assign({}, ...parts.map((part) => hostOf(part, machine))),
    config: 'maxPods: 50\ncpuManagerPolicy: static\nmemoryManagerPolicy: Static\n',
  }
})()

function furnished({ manager = 'apt', furnish }: Part): Machine {
  const machine = aMachine(manager, { units: ['containerd.service', 'systemd-timesyncd.service'] })
  machine.host.packages.put(offered('lib', '1.0'), { automatic: true })
  machine.host.packages.put(offered('app', '1.0'), { held: true })
  furnish?.(machine)
  return machine
}

interface Mishap {
  /** Instead of a death. */
  readonly disk?: 'ENOSPC'
  /** What is missing may end the change: then all is as before. */
  readonly mayEnd?: true
  /** Between the death of an agent and the next. */
  readonly meanwhile?: (machine: Machine) => void | Promise<void>
}

const MISHAPS: Readonly<Record<string, Mishap>> = {
  'kill -9': {},
  'power cut': { meanwhile: powerCut },
  'disk full': { disk: 'ENOSPC', mayEnd: true },
  'lock held': { meanwhile: lockHeld },
  'half configured': { meanwhile: halfConfigured },
  'repository gone': { meanwhile: repositoryGone, mayEnd: true },
}

function powerCut({ host }: Machine): void {
  host.powerOff()
  host.powerOn()
}

/** By somebody who has it for as long as a long upgrade takes. */
async function lockHeld(machine: Machine): Promise<void> {
  const { faults } = machine.host.packages
  faults.lock = 'apt-get (pid 4711)'
  machine.start()
  await machine.clock.advance(3 * MINUTE)
  faults.lock = undefined
  machine.kill()
}

/** The power fails while dpkg has unpacked what it installs, and configured none of it. */
async function halfConfigured(machine: Machine): Promise<void> {
  powerCut(machine)
  const { packages, files } = machine.host
  const archives = Object.keys(files.snapshot()).filter((path) => /_2\.0_.*\.(?:deb|rpm)$/.test(path))
  const isUnderWay = files.text('/var/lib/nodewave/journal.jsonl')?.includes('"kind":"package"') ?? false
  if (archives.length === 0 || !isUnderWay || (await packages.installed('app'))?.version !== '1.0') return
  packages.faults.interrupted = true
  await packages.apply({ install: archives, remove: [] }).catch(() => {})
  packages.faults.interrupted = false
}

/** It comes back later. An agent that begins anew needs it. */
async function repositoryGone(machine: Machine): Promise<void> {
  const { offers } = machine.host.packages
  const offered = offers.get(URL) ?? []
  offers.clear()
  machine.start()
  await machine.clock.advance(3 * MINUTE)
  offers.set(URL, offered)
  machine.kill()
}

const GOOD = '--v=3'
const JOURNAL = '/var/lib/nodewave/journal.jsonl'

function assign(machine: Machine, { manager = 'apt', host = {}, config }: Part, flags: string): string {
  const packages = [
    { name: 'app', version: '2.0' },
    { name: 'tool', version: '1.1' },
  ]
  const own = typeof host === 'function' ? host(machine) : host
  const { host: text } = content(packages, { rebootOn: [], ...own }, manager)
  return machine.assign({ host: text ?? '', flags, ...(config && { config }) }, { GRANT: 'reboot' })
}

/** Files with their modes, the kernel, and what ran when. */
function stateOf(machine: Machine) {
  // The configuration of a package that came and was removed again stays, as after apt-get remove.
  const { '/etc/tool.conf': _, ...files } = machine.hostFiles()
  return { files, kernel: machine.host.kernel.snapshot() }
}

interface Run {
  /** Effects of the first agent that were lines of the journal. */
  readonly boundaries: readonly number[]
  readonly phase: string | undefined
  readonly state: object
}

interface Story {
  readonly flags: string
  /** The effect after which it happens. */
  readonly at?: number
  readonly mishap?: Mishap
}

async function runToEnd(part: Part, { flags, at, mishap = {} }: Story): Promise<Run> {
  const machine = furnished(part)
  const { faults, files } = machine.host
  await machine.clock.advance(5000)
  const digest = assign(machine, part, flags)
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  const boundaries: number[] = []
  let journal = files.text(JOURNAL)
  const onEffect = (count: number): void => {
    const now = files.text(JOURNAL)
    if (now !== journal && now !== undefined) boundaries.push(count - 1)
    journal = now
    if (count === at) faults.disk = mishap.disk
  }
  const dies = at !== undefined && mishap.disk === undefined
  const agent = machine.start({ onEffect, ...(dies && { afterEffect: at }) })
  await machine.clock.runUntil(() => agent.dead || faults.disk !== undefined || ended())
  if (faults.disk !== undefined) await machine.clock.advance(10 * MINUTE)
  faults.disk = undefined
  if (agent.dead) {
    machine.kill()
    await mishap.meanwhile?.(machine)
    machine.start()
  }
  await machine.clock.runUntil(ended)
  return { boundaries, phase: machine.status?.phase, state: stateOf(machine) }
}

/** Besides those of apt. */
const OTHER_MANAGERS = (['dnf', 'zypper'] as const).map((manager) => [{ manager }, `package of ${manager}`] as const)
const OF_KINDS = new Map<Part, string>(Object.entries(PARTS).map(([name, part]) => [part, name]))
const ROWS = [
  ...[...OF_KINDS, ...OTHER_MANAGERS].flatMap(([part, name]) =>
    Object.keys(MISHAPS).map((mishap) => [name, mishap, part] as const),
  ),
  // What may go wrong between kinds: with the other mishaps it took minutes, and found nothing.
  ...(['power cut', 'half configured'] as const).map((mishap) => ['all kinds', mishap, ALL_AT_ONCE] as const),
]

test.each(ROWS)(
  '%s ends as it does without mishap when it is met by "%s" at any boundary',
  { timeout: 120_000 },
  async (_, name, part) => {
    const mishap = MISHAPS[name] ?? {}
    for (const flags of [GOOD, BAD_FLAGS]) {
      const calm = await runToEnd(part, { flags })
      const before = stateOf(furnished(part))
      expect(calm.phase).toBe(flags === GOOD ? 'Applied' : 'RolledBack')
      expect(calm.boundaries.length).toBeGreaterThan(5)
      for (const at of calm.boundaries) {
        const { phase, state } = await runToEnd(part, { flags, at, mishap })
        const told = `${name} after effect ${at}`
        if (!mishap.mayEnd) expect({ phase, state }, told).toEqual({ phase: calm.phase, state: calm.state })
        // What programs make of files may need room to be as before.
        else if (phase === 'Failed') expect(mishap.disk, told).toBe('ENOSPC')
        else expect(state, told).toEqual(phase === 'Applied' ? calm.state : before)
      }
    }
  },
)
