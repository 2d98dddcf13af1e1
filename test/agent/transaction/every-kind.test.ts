/** Each kind that changes something else than files of the kubelet, at every boundary of the journal: killed, cut off, torn, disk full. */
import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { AUTHORITY } from '../../repo/certificates.ts'
import { withKubeletStates } from '../support/kubelet-state.ts'
import { Machine } from '../support/machine.ts'
import { type Mishap, runThrough } from '../support/run-through.ts'
import { aStaticPod } from '../support/static-pods.ts'

const MINUTE = 60_000
const GOOD = '--v=3'
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

interface KindStory {
  /** What the host has before. */
  readonly furnish?: (machine: Machine) => void
  readonly host: HostDocument
  /** Of the kubelet. */
  readonly config?: string
  /** What a program makes of files may need room to be as before: then the status says that it is not. */
  readonly needsRoom?: boolean
}

const KINDS: Readonly<Record<string, KindStory>> = {
  sysctls: {
    furnish: ({ host }) => {
      host.kernel.set('vm/swappiness', '30')
      host.files.put('/etc/sysctl.d/10-theirs.conf', 'vm.swappiness=30\n')
    },
    host: { sysctls: { 'net.ipv4.tcp_rmem': '4096 131072 8388608', 'vm.swappiness': '10' } },
  },
  'sysctls that change others': {
    furnish: ({ host }) => {
      host.kernel.set('net/ipv4/ip_forward', '0')
      host.kernel.set('net/ipv4/conf/all/accept_redirects', '0')
      host.files.put('/etc/sysctl.d/10-theirs.conf', 'net.ipv4.ip_forward=0\nnet.ipv4.conf.all.accept_redirects=0\n')
    },
    host: { sysctls: { 'net.ipv4.ip_forward': '1' } },
  },
  'sysctls of which the kernel keeps one': {
    host: { sysctls: { 'vm.dirty_bytes': '268435456' } },
  },
  'a sysctl that another one excludes': {
    furnish: ({ host }) => {
      host.kernel.set('vm/dirty_bytes', '134217728')
      host.files.put('/etc/sysctl.d/10-theirs.conf', 'vm.dirty_bytes=134217728\n')
    },
    host: { sysctls: { 'vm.dirty_ratio': '10' } },
  },
  'kernelModules and their sysctls': {
    host: { kernelModules: ['br_netfilter', 'ext4', 'ip_vs'], sysctls: { 'net.bridge.bridge-nf-call-iptables': '0' } },
  },
  edits: {
    furnish: ({ host }) => host.files.put('/etc/hosts', '127.0.0.1 localhost\n', { mode: 0o640, gid: 6 }),
    host: {
      edits: [
        { path: '/etc/hosts', blocks: [{ name: 'registry', content: '10.0.0.1 registry\n' }], lines: ['10.0.0.9 ntp'] },
        { path: '/etc/new/list', lines: ['a'], comment: ';' },
      ],
    },
  },
  time: {
    furnish: ({ host }) => void host.files.link('/etc/localtime', '/usr/share/zoneinfo/Etc/UTC'),
    host: { time: { zone: 'Europe/Berlin', ntp: { servers: ['ntp.example.com'] } } },
  },
  kernelArguments: {
    furnish: ({ host }) => {
      host.files.put('/etc/default/grub', 'GRUB_CMDLINE_LINUX=""\n')
      host.files.put('/usr/sbin/update-grub', '')
      void host.bootMenu.rebuild()
    },
    host: { kernelArguments: ['transparent_hugepage=never'] },
    needsRoom: true,
  },
  'kernelArguments that are tried once': {
    furnish: ({ host }) => {
      host.files.put('/etc/default/grub', 'GRUB_CMDLINE_LINUX=""\n')
      for (const program of ['update-grub', 'grub-reboot']) host.files.put(`/usr/sbin/${program}`, '')
      host.files.put('/etc/grub.d/40_custom', '#!/bin/sh\nexec tail -n +3 $0\n\n')
      void host.bootMenu.rebuild()
    },
    host: { kernelArguments: ['transparent_hugepage=never'] },
    needsRoom: true,
  },
  'kernelArguments in boot entries': {
    furnish: ({ host }) => {
      host.files.put('/boot/loader/entries/a-6.1.conf', 'title A\nlinux /a/6.1/linux\noptions root=/dev/sda1 ro quiet\n', {
        mode: 0o600,
      })
      host.files.put('/boot/loader/entries/a-6.2.conf', 'title A\nlinux /a/6.2/linux\noptions root=/dev/sda1 ro quiet\n')
      host.files.put('/etc/kernel/cmdline', 'root=/dev/sda1 ro\n')
    },
    host: { kernelArguments: ['transparent_hugepage=never'] },
    needsRoom: true,
  },
  certificates: {
    furnish: ({ host }) => void host.trustStore.rebuild(),
    host: { certificates: [{ name: 'corp', content: AUTHORITY }] },
    needsRoom: true,
  },
  staticPods: { host: { staticPods: [aStaticPod()] } },
  swap: {
    furnish: ({ host }) => {
      host.files.put('/etc/fstab', '/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw 0 0\n', { mode: 0o640, gid: 6 })
      void host.kernel.swapOn({ path: '/dev/sda2', priority: -2 })
    },
    host: { swap: 'off' },
  },
  'policies of CPU and memory': {
    furnish: withKubeletStates,
    host: {},
    config: 'cpuManagerPolicy: static\nmemoryManagerPolicy: Static\n',
  },
}

async function furnished({ furnish }: KindStory): Promise<Machine> {
  const machine = new Machine({ units: ['containerd.service', 'systemd-timesyncd.service'] })
  furnish?.(machine)
  await machine.clock.advance(5000)
  return machine
}

function contentOf({ host, config }: KindStory): NodeContent {
  return { host: JSON.stringify(host), ...(config === undefined ? {} : { config }) }
}

function endState(machine: Machine) {
  return { files: machine.hostFiles(), directories: directoriesOf(machine), kernel: machine.host.kernel.snapshot() }
}

function directoriesOf({ host }: Machine): string[] {
  return host.files.directories().filter((path) => !`${path}/`.startsWith('/var/lib/nodewave/'))
}

async function runToEnd(story: KindStory, flags: string, mishap: Mishap = {}) {
  const machine = await furnished(story)
  const digest = machine.assign({ flags, ...contentOf(story) }, { GRANT: 'reboot' })
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  const effects = await runThrough(machine, ended, mishap)
  return { effects, phase: machine.status?.phase, state: endState(machine) }
}

const ROWS = Object.entries(KINDS).flatMap(([name, story]) => [
  [name, 'stays after a good assignment', GOOD, 'Applied', story] as const,
  [name, 'is as before after one that makes the kubelet crash', BAD, 'RolledBack', story] as const,
])

test.each(ROWS)('kind behind "%s" %s, whenever the agent or the machine dies', async (_name, _, flags, phase, story) => {
  const before = endState(await furnished(story))
  const calm = await runToEnd(story, flags)
  expect(calm.phase).toBe(phase)
  if (phase === 'RolledBack') expect(calm.state).toEqual(before)
  else expect(calm.state).not.toEqual(before)

  for (let effect = 1; effect <= calm.effects; effect++)
    for (const { torn, isPowerCut } of [
      { torn: false, isPowerCut: false },
      { torn: false, isPowerCut: true },
      { torn: true, isPowerCut: false },
    ]) {
      const end = await runToEnd(story, flags, { death: { afterEffect: effect, torn }, isPowerCut })
      const told = `${isPowerCut ? 'power cut' : torn ? 'torn' : 'killed'} after effect ${effect}`
      expect({ phase: end.phase, state: end.state }, told).toEqual({ phase, state: calm.state })
    }
})

async function runPastBoot(story: KindStory, flags: string, { death, isPowerCut = false }: Mishap = {}) {
  const machine = await furnished(story)
  machine.deathAfterBoot = death
  const first = machine.start()
  const digest = machine.assign({ flags, ...contentOf(story) }, { GRANT: 'reboot' })
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  await machine.clock.runUntil(() => machine.agent !== first)
  const second = machine.agent
  await machine.clock.runUntil(() => second?.dead === true || ended())
  if (second?.dead && !machine.host.faults.dead) {
    if (isPowerCut) machine.host.powerOff()
    if (isPowerCut) machine.host.powerOn()
    machine.start()
  }
  await machine.clock.runUntil(ended)
  return { phase: machine.status?.phase, state: endState(machine), effects: second?.effects ?? 0, reboots: machine.host.reboots }
}

const REBOOTED = Object.entries(KINDS).filter(([name]) => name.startsWith('kernelArguments'))

test.each(REBOOTED)('kind behind "%s" comes to the same end whenever the agent dies after the reboot', async (_, story) => {
  const calm = await runPastBoot(story, GOOD)
  expect(calm.phase).toBe('Applied')
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, state, reboots } = await runPastBoot(story, GOOD, { death: { afterEffect: effect } })
    expect({ phase, state, reboots }, `killed after effect ${effect}`).toEqual({
      phase: 'Applied',
      state: calm.state,
      reboots: 1,
    })
  }
})

test.each(REBOOTED)('kind behind "%s" is as assigned or as before whenever the power goes after the reboot', async (_, story) => {
  const before = endState(await furnished(story))
  const calm = await runPastBoot(story, GOOD)
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, state } = await runPastBoot(story, GOOD, { death: { afterEffect: effect }, isPowerCut: true })
    expect(state, `power cut after effect ${effect}`).toEqual(phase === 'Applied' ? calm.state : before)
  }
})

test.each(Object.entries(KINDS))(
  'kind behind "%s" is as assigned or as before when the disk is full from any effect on',
  async (_, story) => {
    const before = endState(await furnished(story))
    const calm = await runToEnd(story, GOOD)
    for (let effect = 1; effect <= calm.effects; effect++) {
      const { phase, state } = await runToEnd(story, GOOD, { death: { afterEffect: effect }, disk: 'ENOSPC' })
      if (story.needsRoom && phase === 'Failed') continue
      expect(state, `full from effect ${effect}`).toEqual(phase === 'Applied' ? calm.state : before)
    }
  },
)

test.each(Object.entries(KINDS))('kind behind "%s" gives the host back when the annotation is removed', async (_, story) => {
  const machine = await furnished(story)
  const before = endState(machine)
  machine.start()
  machine.assign(contentOf(story), { GRANT: 'reboot' })
  await machine.until('Applied')
  // What names nothing, and grants what giving back takes.
  machine.annotate({ GRANT: 'reboot' })
  await machine.clock.advance(10 * MINUTE)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(endState(machine)).toEqual(before)
  expect(machine.host.files.text('/var/lib/nodewave/local/index.json')).toBeUndefined()
})

test.each(Object.entries(KINDS))('kind behind "%s" changes nothing on a host that is as assigned', async (_, story) => {
  const machine = await furnished(story)
  machine.start()
  machine.assign(contentOf(story), { GRANT: 'reboot' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const after = endState(machine)
  await machine.clock.advance(20 * MINUTE)

  expect(endState(machine)).toEqual(after)
  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.status?.drift ?? []).toEqual([])
})
