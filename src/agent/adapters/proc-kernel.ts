import { constants, existsSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path/posix'
import { open, readFile, statfs } from '../../kube/file-calls.ts'
import type { CgroupVersion } from '../../protocol/cgroup-version.ts'
import type { GroupUse, Kernel, Swap } from '../kernel.ts'
import { orMissing } from './or-missing.ts'
import { runAsService } from './run-as-service.ts'
import type { Outcome } from './run-program.ts'

/** Milliseconds. What was swapped out has to be read again, and disks are slow. */
const LONGEST_SWAP_OFF = 600_000

type Run = (program: string, args: readonly string[], options?: { readonly timeout?: number }) => Promise<Outcome>

/** The kernel of this machine, by /proc and the programs of kmod and util-linux. */
export function procKernel(run: Run = runAsService): Kernel {
  let builtIn: Promise<ReadonlySet<string>> | undefined
  const change = async (program: string, args: readonly string[], timeout?: number): Promise<void> => {
    const { code, stderr } = await run(program, args, timeout === undefined ? {} : { timeout })
    if (code !== 0) throw new Error(`${[program, ...args].join(' ')}: exit ${code}: ${stderr.trim()}`)
  }
  return {
    cgroupVersion: () => cgroupVersionAt(CGROUPS),
    groupUse: (group) => groupUseAt(CGROUPS, group),
    release: async () => release(),
    startedAt: async () => startOf(await readFile('/proc/stat', 'utf8'), await readFile('/proc/1/stat', 'utf8')),
    readSysctl: async (path) => (await orMissing(readFile(`/proc/sys/${path}`, 'utf8')))?.replace(/\n$/, ''),
    writeSysctl: async (path, value) => {
      await using file = await open(`/proc/sys/${path}`, constants.O_WRONLY | constants.O_NOFOLLOW)
      await file.write(`${value}\n`)
    },
    commandLine: async () => (await readFile('/proc/cmdline', 'utf8')).trim(),
    hasModule: async (name) => {
      // Of what is built in, only modules with parameters show there.
      if (existsSync(`/sys/module/${name}`)) return true
      builtIn ??= builtInModules()
      return (await builtIn).has(name)
    },
    loadModule: (name) => change('modprobe', ['--', name]),
    unloadModule: (name) => change('rmmod', ['--', name]),
    swaps: async () => parseSwaps((await orMissing(readFile('/proc/swaps', 'utf8'))) ?? ''),
    swapOff: (path) => change('swapoff', ['--', path], LONGEST_SWAP_OFF),
    swapOn: ({ path, priority }) => change('swapon', [...(priority < 0 ? [] : [`--priority=${priority}`]), '--', path]),
  }
}

/** Of a second; programs see this number whatever the kernel counts with. */
const TICKS = 100
/** Where /proc/PID/stat has the start of the process, behind its name. */
const START = 19

/**
 * Pure: when the first process has started, which in a container is later than the machine.
 * @param machine text of /proc/stat @param first text of /proc/1/stat, where a name in braces may have blanks
 */
export function startOf(machine: string, first: string): number {
  const booted = Number(/^btime (\d+)$/m.exec(machine)?.[1] ?? 0)
  const ticks = first.slice(first.lastIndexOf(')') + 2).split(' ')[START] ?? '0'
  return booted * 1000 + (Number(ticks) * 1000) / TICKS
}

const CGROUPS = '/sys/fs/cgroup'
/** CGROUP2_SUPER_MAGIC of linux/magic.h. */
const CGROUP2 = 0x63677270

/** As the kubelet finds it out: a host with both has version 1 there. */
export async function cgroupVersionAt(path: string): Promise<CgroupVersion> {
  return (await orMissing(statfs(path)))?.type === CGROUP2 ? 'v2' : 'v1'
}

/** What is cached would be dropped first: it does not count. @param root where control groups are mounted */
export async function groupUseAt(root: string, group: string): Promise<GroupUse | undefined> {
  const version = await cgroupVersionAt(root)
  const file = (controller: string, name: string) =>
    orMissing(readFile(join(root, version === 'v2' ? '' : controller, join('/', group), name), 'utf8'))
  const stat = await file('memory', 'memory.stat')
  const count = await file('pids', 'pids.current')
  if (stat === undefined && count === undefined) return undefined
  const [, bytes] = (version === 'v2' ? /^anon (\d+)$/m : /^total_rss (\d+)$/m).exec(stat ?? '') ?? []
  return { memory: bytes === undefined ? undefined : Number(bytes), processes: count === undefined ? undefined : Number(count) }
}

/** Another kernel runs only after a boot, and then another agent does. */
async function builtInModules(): Promise<ReadonlySet<string>> {
  return parseBuiltIn((await orMissing(readFile(`/lib/modules/${release()}/modules.builtin`, 'utf8'))) ?? '')
}

/** @param text one file a line, as `kernel/net/bridge/br_netfilter.ko` */
export function parseBuiltIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/([^/\n]+)\.ko\S*$/gm)].map(([, name = '']) => name.replaceAll('-', '_')))
}

/** @param text of /proc/swaps: a line of headings, then path, type, size, used and priority; what is special in a path is escaped */
export function parseSwaps(text: string): Swap[] {
  const rows = text.split('\n').slice(1)
  return rows.flatMap((row) => {
    const [path = '', , , , priority = ''] = row.split(/\s+/)
    return path === '' ? [] : [{ path: unescaped(path), priority: Number.parseInt(priority, 10) || 0 }]
  })
}

/** Octal, as `\040` for a space; a file that was removed since has ` (deleted)` behind its name. */
function unescaped(path: string): string {
  return path
    .replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    .replace(/ \(deleted\)$/, '')
}
