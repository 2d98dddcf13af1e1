/** A node as a machine: booted, entered, switched off. What runs in it is somebody else's business. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunOptions, type RunResult, run } from '../exec.ts'
import { cgroupProcesses, createCgroups, removeCgroup } from './cgroups.ts'
import { launchSupervised } from './launch.ts'
import type { NodeRoot } from './node-root.ts'
import { isRunning, killProcess, type ProcessId, processId } from './process-id.ts'
import type { Slot } from './slot.ts'
import { waitUntil } from './wait.ts'

export interface Machine {
  boot(): Promise<void>
  /** Pull the plug. */
  powerOff(): Promise<void>
  /** Run a program in the node, as root. */
  exec(command: readonly string[], options?: RunOptions): Promise<RunResult>
}

const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' }

/** @param units that a machine runs which is up */
export async function createMachine(
  slot: Slot,
  name: string,
  { root, binds, units }: NodeRoot & { readonly units: readonly string[] },
): Promise<Machine> {
  const cgroups = await createCgroups(slot, name)
  const log = join(slot.dir, 'logs', `${name}.log`)
  let supervisor: ProcessId | undefined

  async function boot(): Promise<void> {
    if (supervisor && isRunning(supervisor)) throw new Error(`boot node "${name}": it is running`)
    // What the last boot left in the cgroups would confuse the kubelet for half a minute.
    for (const path of cgroups) removeCgroup(path, { keepTop: true })
    const env = { SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network' }
    supervisor = launchSupervised(slot, nspawn(slot, { name, root, binds }), { log, cgroups, env })
    const isUp = async () => (await exec(['systemctl', 'is-active', ...units], { allowFailure: true })).stdout
    await waitUntil(async () => (await isUp()) === 'active\n'.repeat(units.length), { for: `node "${name}" to boot` })
  }

  async function powerOff(): Promise<void> {
    const id = leader(cgroups)
    if (id !== undefined) killProcess(id, 'SIGKILL')
    await waitUntil(() => supervisor === undefined || !isRunning(supervisor), { for: `node "${name}" to end` })
  }

  async function exec(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return run('nsenter', enterArgs(name, cgroups, { command, env: options.env ?? {} }), options)
  }
  return { boot, powerOff, exec }
}

/** Arguments for nsenter. The first process changes with every boot of the node, so it is looked up each time. */
export function enterArgs(
  name: string,
  cgroups: readonly string[],
  { command, env = {} }: { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): string[] {
  const id = leader(cgroups)
  if (id === undefined) throw new Error(`run "${command[0]}" in node "${name}": it is not running`)
  const assignments = Object.entries({ ...environment, ...env }).map(([key, value]) => `${key}=${value}`)
  return ['-t', String(id.pid), '-m', '-u', '-i', '-n', '-p', '-C', '-r', '-w', '--', 'env', '-i', ...assignments, ...command]
}

/** systemd has automounts only where this is. */
const AUTOMOUNTS = existsSync('/dev/autofs') ? ['--bind=/dev/autofs'] : []

interface NspawnOptions extends Pick<NodeRoot, 'root' | 'binds'> {
  readonly name: string
}

function nspawn(slot: Slot, { name, root, binds }: NspawnOptions): string[] {
  return [
    ...['systemd-nspawn', '--quiet', '--boot', `--directory=${root}`, `--machine=e${slot.number}${name}`, `--hostname=${name}`],
    '--register=no', // there may be no systemd on the machine to register with
    '--keep-unit',
    `--network-bridge=${slot.bridge}`,
    '--capability=all',
    '--system-call-filter=@known bpf keyctl add_key',
    ...['--resolv-conf=off', '--timezone=off', '--link-journal=no', '--bind=/dev/kmsg', ...AUTOMOUNTS],
    ...Object.entries(binds).map(([from, to]) => `--bind=${from}:${to}`),
  ]
}

/** The node's first process: in its own process namespace it has the id 1, in ours the second process id namespace. */
function leader(cgroups: readonly string[]): ProcessId | undefined {
  const [first] = cgroups
  if (first === undefined) return undefined
  for (const pid of cgroupProcesses(first)) {
    const ids = /^NSpid:\t(.*)$/m.exec(readStatus(pid))?.[1]?.split('\t') ?? []
    if (ids.length === 2 && ids[1] === '1' && readComm(pid) === 'systemd') return processId(pid)
  }
  return undefined
}

function readStatus(pid: number): string {
  return readOrEmpty(`/proc/${pid}/status`)
}

function readComm(pid: number): string {
  return readOrEmpty(`/proc/${pid}/comm`).trim()
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
