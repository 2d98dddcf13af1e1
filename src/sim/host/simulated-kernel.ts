import type { GroupUse, Kernel, Swap } from '../../agent/kernel.ts'
import type { CgroupVersion } from '../../protocol/cgroup-version.ts'
import type { MemoryFiles } from './memory-files.ts'
import { bootedWith, bootSettings } from './simulated-boot.ts'

/** A setting, and what this kernel makes of a text. */
export interface SimulatedSysctl {
  readonly value: string
  readonly access?: 'read-only' | 'write-only'
  /** Text → what shows from then on. @throws as the kernel does. Default: whole numbers, as many as there are, the others stay. */
  readonly take?: (text: string, now: string) => string
  /** What the kernel sets along with it. */
  readonly along?: (value: string) => Readonly<Record<string, string>>
}

export interface SimulatedModule {
  /** Settings that come and go with it. */
  readonly sysctls?: Readonly<Record<string, SimulatedSysctl>>
  /** Somebody uses it: it cannot be unloaded. */
  readonly isInUse?: boolean
  /** The module that it is another name of. */
  readonly alias?: string
}

export interface KernelSnapshot {
  readonly sysctls: Readonly<Record<string, string>>
  readonly modules: readonly string[]
  readonly swaps: readonly Swap[]
  readonly arguments: string
}

const SYSCTLS: Readonly<Record<string, SimulatedSysctl>> = {
  'dev/cdrom/lock': { value: '1', take: mountedReadOnly },
  'fs/inotify/max_user_instances': { value: '128' },
  'fs/inotify/max_user_watches': { value: '65536' },
  'kernel/core_pattern': { value: 'core', take: (text) => text },
  'kernel/ostype': { value: 'Linux', access: 'read-only' },
  'kernel/panic': { value: '10' },
  'net/ipv4/conf/all/accept_redirects': { value: '0' },
  'net/ipv4/conf/default/forwarding': { value: '1' },
  'net/ipv4/ip_forward': {
    value: '1',
    along: (value) => ({
      'net/ipv4/conf/all/accept_redirects': value === '0' ? '1' : '0',
      'net/ipv4/conf/default/forwarding': value,
    }),
  },
  'net/ipv4/route/flush': { value: '', access: 'write-only' },
  'net/ipv4/tcp_rmem': { value: '4096\t131072\t6291456' },
  // Of both, the kernel keeps one: mm/page-writeback.c. It takes no zero for the first.
  'vm/dirty_bytes': { value: '0', take: atLeast(8192), along: () => ({ 'vm/dirty_ratio': '0' }) },
  'vm/dirty_ratio': { value: '20', take: atMost(100), along: () => ({ 'vm/dirty_bytes': '0' }) },
  // As many pages as memory has room for.
  'vm/max_map_count': { value: '65530' },
  'vm/nr_hugepages': { value: '0', take: (text) => String(Math.min(Number(text), 64)) },
  'vm/overcommit_memory': { value: '1' },
  'vm/swappiness': { value: '60', take: atMost(200) },
}

const BRIDGE = {
  'net/bridge/bridge-nf-call-ip6tables': { value: '1' },
  'net/bridge/bridge-nf-call-iptables': { value: '1' },
}

const MODULES: Readonly<Record<string, SimulatedModule>> = {
  br_netfilter: { sysctls: BRIDGE },
  ip_vs: {},
  ip_vs_alias: { alias: 'ip_vs' },
  nf_conntrack: { isInUse: true },
  overlay: {},
}

/** A kernel that behaves like Linux: what is set is gone after a boot, and comes back from the files that are read then. */
export class SimulatedKernel implements Kernel {
  readonly #files: MemoryFiles
  readonly #builtIn = new Set(['ext4'])
  readonly #modules = new Set<string>()
  readonly #sysctls = new Map<string, SimulatedSysctl>()
  readonly #swaps = new Map<string, Swap>()
  /** Swaps with more in them than memory has room for. */
  #commandLine = 'root=/dev/sda1 ro quiet'
  readonly #full = new Set<string>()

  constructor(files: MemoryFiles) {
    this.#files = files
    this.#start()
  }

  /** What the machine has mounted. */
  cgroup: CgroupVersion = 'v2'

  async cgroupVersion(): Promise<CgroupVersion> {
    return this.cgroup
  }

  /** What runs in control groups, by their names. */
  readonly groups = new Map<string, GroupUse>()

  async groupUse(group: string): Promise<GroupUse | undefined> {
    return this.groups.get(group)
  }

  async release(): Promise<string> {
    return '6.1.0-18-amd64'
  }

  async startedAt(): Promise<number> {
    return 0
  }

  async readSysctl(path: string): Promise<string | undefined> {
    const found = this.#sysctls.get(path)
    if (found?.access === 'write-only') throw failed('EACCES', `permission denied, open '/proc/sys/${path}'`)
    return found?.value
  }

  async writeSysctl(path: string, text: string): Promise<void> {
    this.set(path, text)
  }

  async commandLine(): Promise<string> {
    return this.#commandLine
  }

  async hasModule(name: string): Promise<boolean> {
    return this.#modules.has(name) || this.#builtIn.has(name)
  }

  async loadModule(name: string): Promise<void> {
    if (this.#builtIn.has(name)) return
    const { sysctls = {}, alias = name } = this.#known(name)
    if (!this.#modules.has(name)) for (const [path, sysctl] of Object.entries(sysctls)) this.#sysctls.set(path, sysctl)
    this.#modules.add(alias)
  }

  async unloadModule(name: string): Promise<void> {
    const { sysctls = {}, isInUse = false } = this.#known(name)
    if (!this.#modules.has(name))
      throw new Error(`rmmod -- ${name}: exit 1: rmmod: ERROR: Module ${name} is not currently loaded`)
    if (isInUse) throw new Error(`rmmod -- ${name}: exit 1: rmmod: ERROR: Module ${name} is in use`)
    for (const path of Object.keys(sysctls)) this.#sysctls.delete(path)
    this.#modules.delete(name)
  }

  async swaps(): Promise<readonly Swap[]> {
    return [...this.#swaps.values()]
  }

  async swapOff(path: string): Promise<void> {
    if (this.#full.has(path))
      throw new Error(`swapoff -- ${path}: exit 4: swapoff: ${path}: swapoff failed: Cannot allocate memory`)
    if (!this.#swaps.delete(path))
      throw new Error(`swapoff -- ${path}: exit 4: swapoff: ${path}: swapoff failed: Invalid argument`)
  }

  async swapOn(swap: Swap): Promise<void> {
    if (this.#swaps.has(swap.path))
      throw new Error(`swapon -- ${swap.path}: exit 255: swapon: ${swap.path}: swapon failed: Device or resource busy`)
    this.#swaps.set(swap.path, swap)
  }

  /** Another boot: nothing of before is left but what the files say. */
  boot(): void {
    this.#start()
    this.#commandLine = bootedWith(this.#files) ?? this.#commandLine
    const { modules, sysctls, swaps } = bootSettings(this.#files)
    for (const name of modules) if (name in MODULES) void this.loadModule(name)
    for (const [path, value] of sysctls) if (this.#sysctls.has(path)) this.set(path, value)
    for (const swap of swaps) this.#swaps.set(swap.path, swap)
  }

  /** More is swapped to it than memory has room for. */
  fill(path: string): void {
    this.#full.add(path)
  }

  /** As `writeSysctl`, at once: for who sets the stage, or changes something by hand. */
  set(path: string, text: string): void {
    const found = this.#sysctls.get(path)
    if (found === undefined) throw failed('ENOENT', `no such file or directory, open '/proc/sys/${path}'`)
    if (found.access === 'read-only') throw failed('EACCES', `permission denied, open '/proc/sys/${path}'`)
    const value = (found.take ?? numbers)(text, found.value)
    this.#sysctls.set(path, { ...found, value })
    for (const [other, along] of Object.entries(found.along?.(value) ?? {})) this.#turn(other, along)
  }

  /** What a test compares: every setting with its value, modules and swaps. */
  snapshot(): KernelSnapshot {
    const values = [...this.#sysctls].map(([path, { value }]): [string, string] => [path, value]).sort()
    const swaps = [...this.#swaps.values()]
    return { sysctls: Object.fromEntries(values), modules: [...this.#modules].sort(), swaps, arguments: this.#commandLine }
  }

  /** By the kernel itself, which takes whatever it says. */
  #turn(path: string, value: string): void {
    const found = this.#sysctls.get(path)
    if (found !== undefined) this.#sysctls.set(path, { ...found, value })
  }

  #start(): void {
    this.#modules.clear()
    this.#swaps.clear()
    this.#sysctls.clear()
    for (const [path, sysctl] of Object.entries(SYSCTLS)) this.#sysctls.set(path, sysctl)
  }

  #known(name: string): SimulatedModule {
    const found = MODULES[name]
    if (found !== undefined) return found
    throw new Error(
      `modprobe -- ${name}: exit 1: modprobe: FATAL: Module ${name} not found in directory /lib/modules/6.1.0-18-amd64`,
    )
  }
}

/** Fewer numbers than a setting has leave the others as they are; what shows has tabs between. */
function numbers(text: string, now: string): string {
  const given = text.trim().split(/\s+/)
  const before = now.split('\t')
  if (given.length > before.length || given.some((part) => !/^-?\d+$/.test(part)))
    throw failed('EINVAL', 'invalid argument, write')
  return [...given.map((part) => String(Number(part))), ...before.slice(given.length)].join('\t')
}

function mountedReadOnly(): never {
  throw failed('EROFS', 'read-only file system, open')
}

function atMost(limit: number): (text: string, now: string) => string {
  return (text, now) => {
    const value = numbers(text, now)
    if (Number(value) > limit) throw failed('EINVAL', 'invalid argument, write')
    return value
  }
}

function atLeast(limit: number): (text: string, now: string) => string {
  return (text, now) => {
    const value = numbers(text, now)
    if (Number(value) < limit) throw failed('EINVAL', 'invalid argument, write')
    return value
  }
}

function failed(code: string, text: string): Error {
  return Object.assign(new Error(`${code}: ${text}`), { code })
}
