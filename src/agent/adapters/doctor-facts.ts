import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { readFile, stat, statfs } from '../../kube/file-calls.ts'
import { saysFailCgroupV1 } from '../../protocol/cgroup-version.ts'
import type { Facts, Looked } from '../doctor/facts.ts'
import { kubeletPorts } from '../doctor/port-findings.ts'
import { lenientDocument } from '../kubelet/kubelet-document.ts'
import { flagValue, healthzUrl } from '../kubelet/kubelet-flags.ts'
import { KUBELET_CONFIG, KUBELET_UNIT, statePaths } from '../paths.ts'
import { readHostPolicy } from '../policy/enforce-policy.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { AgentPorts } from '../ports.ts'
import { cgroupVersionAt } from './proc-kernel.ts'
import { listenersOn } from './proc-listeners.ts'
import { runProgram } from './run-program.ts'

const ANYBODY_RUNS = 0o111
const UNITS = ['nodewave-agent.service', KUBELET_UNIT]

export interface DoctorOptions {
  readonly ports: Pick<AgentPorts, 'files' | 'services' | 'packages' | 'kubelet' | 'node'>
  readonly root: string
  readonly stateDirectory: string
  readonly kubeconfig: { readonly path: string; readonly problem?: string }
  /** Of the API server, as the kubeconfig has it. */
  readonly server: string
}

/** Looks at the host and at the API server, and changes nothing. */
export async function readFacts({ ports, root, stateDirectory, kubeconfig, server }: DoctorOptions): Promise<Facts> {
  const { files, services, packages, kubelet, node } = ports
  const paths = statePaths(stateDirectory)
  const place = (path: string): string => join(root, path)
  const has = async (path: string): Promise<boolean> => (await files.stat(path)) !== undefined
  const host = URL.canParse(server) ? new URL(server).hostname.replace(/^\[|\]$/g, '') : server
  const policy = await looked(() => readHostPolicy(files))
  const units = await Promise.all(UNITS.map(async (name) => ({ name, state: await looked(() => services.show(name)) })))
  const args = await kubeletArguments(units, place)
  const config = await files.read(flagValue(args, 'config') ?? KUBELET_CONFIG).catch(() => undefined)
  const document = lenientDocument(config)
  const wanted = kubeletPorts(document, args)
  const healthz = healthzUrl(document, args)
  return {
    policy,
    missingPrograms: 'value' in policy ? await missingPrograms(policy.value, place) : [],
    isRoot: process.geteuid?.() === 0,
    cgroup: await cgroupVersionAt(place('/sys/fs/cgroup')),
    failCgroupV1: saysFailCgroupV1({ document, args }),
    swaps: await swapsIn(place('/proc/swaps')),
    clockSynchronized: await looked(clockSynchronized),
    stateDirectory,
    state: {
      freeBytes: await looked(() => freeBytes(place(stateDirectory))),
      inside: await looked(async () => ({
        stat: await files.stat(stateDirectory),
        hasOpenJournal: await has(paths.journal),
        isUnclean: await has(paths.unclean),
      })),
    },
    packages: await looked(async () => ({
      isInterrupted: await packages.isInterrupted(),
      holder: await packages.holder(),
      format: packages.format,
    })),
    kubeconfig: { ...kubeconfig, stat: await statOf(kubeconfig.path) },
    server: { host, addresses: await looked(() => addressesOf(host)), node: await looked(async () => (await node.get()).name) },
    units,
    kubelet: healthz === undefined ? { ok: true, detail: 'not served: its healthzPort is 0' } : await kubelet.healthz(healthz),
    kubeletPorts: wanted,
    listeners: await looked(() =>
      listenersOn(
        wanted.map(({ port }) => port),
        place('/proc'),
      ),
    ),
  }
}

/** Of the kubelet that runs. */
async function kubeletArguments(units: Facts['units'], place: (path: string) => string): Promise<string[]> {
  const state = units.find(({ name }) => name === KUBELET_UNIT)?.state
  if (state === undefined || 'error' in state || state.value.mainPid === 0) return []
  return (await readFile(place(`/proc/${state.value.mainPid}/cmdline`), 'utf8').catch(() => '')).split('\0')
}

async function missingPrograms({ steps = {} }: HostPolicy, place: (path: string) => string): Promise<string[]> {
  const programs = new Set(Object.values(steps).flatMap(({ command, undo }) => [command[0] ?? '', undo?.[0] ?? []].flat()))
  const isThere = (path: string): Promise<boolean> =>
    stat(place(path)).then(
      (found) => found.isFile() && (found.mode & ANYBODY_RUNS) !== 0,
      () => false,
    )
  const looks = await Promise.all([...programs].map(async (path) => ((await isThere(path)) ? [] : [path])))
  return looks.flat()
}

async function looked<T>(look: () => Promise<T>): Promise<Looked<T>> {
  try {
    return { value: await look() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function swapsIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(/\s/)[0] || [])
}

async function clockSynchronized(): Promise<string> {
  const { code, stdout, stderr } = await runProgram('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    timeout: 5000,
  })
  if (code !== 0) throw new Error(stderr.trim() || `timedatectl ended with ${code}`)
  return stdout.trim()
}

/** Of the nearest directory that is there. */
async function freeBytes(path: string): Promise<number> {
  for (let at = path; ; at = dirname(at)) {
    const found = await statfs(at).catch((error) => {
      if (dirname(at) === at) throw error
      return undefined
    })
    if (found) return found.bavail * found.bsize
  }
}

async function addressesOf(host: string): Promise<readonly string[]> {
  if (host === '') throw new Error('the kubeconfig names no server')
  if (isIP(host)) return [host]
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

async function statOf(path: string): Promise<Facts['kubeconfig']['stat']> {
  const found = await stat(path).catch(() => undefined)
  return found && { type: 'file', size: found.size, mode: found.mode & 0o7777, uid: found.uid, gid: found.gid }
}
