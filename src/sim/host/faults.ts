import type { AgentPorts, NodeApi, WatchDirectory } from '../../agent/ports.ts'
import { KubeError } from '../../kube/kube-api.ts'
import type { MemoryFiles } from './memory-files.ts'

export type DiskFault = keyof typeof DISK_FAULTS

const DISK_FAULTS = {
  ENOSPC: { text: 'no space left on device', lets: ['keep', 'restore', 'remove', 'removeEmpty'] },
  EIO: { text: 'i/o error', lets: ['remove', 'removeEmpty'] },
  EROFS: { text: 'read-only file system', lets: [] },
} satisfies Record<string, { readonly text: string; readonly lets: readonly string[] }>

/** What is wrong with a host at the moment; changed while agents run. */
export interface Faults {
  /** Writes fail with this code: all that take room (a file gets another name on a full disk), all but removals, or all. */
  disk: DiskFault | undefined
  /** Neither the API server nor downloads can be reached. */
  network: 'lost' | undefined
  /** The service manager does not answer, as while it is replaced by a newer one. */
  services: 'silent' | undefined
  /** The machine does not start again when it is asked to: it says so, nothing comes of it, or it goes down for good. */
  reboot: 'refused' | 'ignored' | 'lost' | undefined
  /** The machine is off: nothing that ran on it ever answers again. */
  dead: boolean
}

/** Orders the death of one agent process. */
export interface Death {
  /** After how many effects on the host it dies. Counted are writes, removals and everything sent to the service manager. */
  readonly afterEffect?: number
  /** It dies after the first effect of this kind and, if named, on this path or unit. */
  readonly after?: { readonly method: string; readonly subject?: string }
  /** Called before each effect with how many there were, this one included. */
  readonly onEffect?: (count: number) => void
  /** The last effect is an append that comes only half as far. */
  readonly torn?: boolean
}

const WRITES = ['writeAtomic', 'install', 'keep', 'restore', 'create', 'append', 'remove', 'removeEmpty', 'makeDirectory', 'link']
const ORDERS = ['restart', 'start', 'stop', 'enable', 'disable', 'reload', 'reboot']
const KERNEL_CHANGES = ['writeSysctl', 'loadModule', 'unloadModule', 'swapOff', 'swapOn']
const PACKAGE_CHANGES = ['fetch', 'unpack', 'apply', 'repair', 'hold', 'markAutomatic']
const NEVER = new Promise<never>(() => {})

/** One run of an agent on a host: its way to everything, until it dies. */
export class AgentProcess {
  readonly ports: AgentPorts
  readonly #host: { readonly files: MemoryFiles; readonly faults: Faults }
  readonly #death: Death | undefined
  #dead = false
  #effects = 0

  constructor(ports: AgentPorts, host: { readonly files: MemoryFiles; readonly faults: Faults }, death?: Death) {
    this.#host = host
    this.#death = death
    this.ports = {
      ...ports,
      files: guard(ports.files, (call) => this.#pass(call, { effect: WRITES.includes(call.method), write: true })),
      services: guard(ports.services, (call) => this.#order(call)),
      accounts: guard(ports.accounts, (call) => this.#pass(call, { effect: true, write: true })),
      steps: guard(ports.steps, (call) => this.#pass(call, { effect: true })),
      packages: guard(ports.packages, (call) => this.#pass(call, { effect: PACKAGE_CHANGES.includes(call.method), write: true })),
      kernel: guard(ports.kernel, (call) => this.#pass(call, { effect: KERNEL_CHANGES.includes(call.method) })),
      trustStore: guard(ports.trustStore, (call) => this.#rebuild(call)),
      bootMenu: guard(ports.bootMenu, (call) => this.#rebuild(call)),
      kubelet: guard(ports.kubelet, (call) => this.#pass(call)),
      downloads: guard(ports.downloads, (call) => this.#pass(call, { effect: true, write: true })),
      archives: guard(ports.archives, (call) => this.#pass(call, { effect: true, write: true })),
      watchDirectory: (...args) => this.#watch(ports.watchDirectory, ...args),
      node: this.#guardNode(ports.node),
    }
  }

  get effects(): number {
    return this.#effects
  }

  get dead(): boolean {
    return this.#dead || this.#host.faults.dead
  }

  /** As `kill -9`: what it waits for never comes. */
  kill(): void {
    this.#dead = true
  }

  async #pass(call: Call, kind: { effect?: boolean; write?: boolean } = {}): Promise<unknown> {
    const { faults } = this.#host
    if (this.dead) return NEVER
    if (!kind.effect) return this.#alive(await call.invoke())
    if (kind.write && isRefused(call, faults.disk)) throw diskError(faults.disk, call)
    this.#effects++
    this.#death?.onEffect?.(this.#effects)
    const last = this.#isLast(call)
    const value = last && this.#death?.torn && call.method === 'append' ? this.#tear(call) : await call.invoke()
    if (last) this.#dead = true
    return this.#alive(value)
  }

  #rebuild(call: Call): Promise<unknown> {
    const isWrite = call.method !== 'fingerprint'
    return this.#pass(call, { effect: isWrite, write: isWrite })
  }

  async #order(call: Call): Promise<unknown> {
    if (this.#host.faults.services === 'silent') throw new Error('systemctl: Failed to connect to bus: Connection refused')
    return this.#pass(call, { effect: ORDERS.includes(call.method) })
  }

  #isLast({ method, args }: Call): boolean {
    const { afterEffect, after } = this.#death ?? {}
    if (after === undefined) return this.#effects === afterEffect
    return method === after.method && (after.subject === undefined || args.includes(after.subject))
  }

  #tear({ args: [path, line] }: Call): void {
    this.#host.files.appendText(String(path), String(line).slice(0, String(line).length / 2))
  }

  #alive<T>(value: T): T | Promise<never> {
    return this.dead ? NEVER : value
  }

  async #watch(watch: WatchDirectory, ...[directory, onEvent]: Parameters<WatchDirectory>): Promise<() => void> {
    if (this.dead) return NEVER
    const end = await watch(directory, (name) => {
      if (this.dead) end()
      else onEvent(name)
    })
    return this.#alive(end)
  }

  #guardNode(node: NodeApi): NodeApi {
    const guarded = guard(node, (call) => this.#reach(call))
    return { ...bound(guarded), follow: (...args) => this.#follow(node, ...args) }
  }

  async #reach(call: Call): Promise<unknown> {
    if (this.dead) return NEVER
    if (this.#host.faults.network === 'lost') throw unreachable()
    return this.#alive(await call.invoke())
  }

  async *#follow(node: NodeApi, ...args: Parameters<NodeApi['follow']>): ReturnType<NodeApi['follow']> {
    if (this.#host.faults.network === 'lost') throw unreachable()
    for await (const seen of node.follow(...args)) {
      if (this.dead) await NEVER
      if (this.#host.faults.network === 'lost') throw unreachable()
      yield seen
    }
  }
}

interface Call {
  readonly method: string
  readonly args: readonly unknown[]
  readonly invoke: () => Promise<unknown>
}

/** The same object, each call of which goes through `gate`. */
function guard<T extends object>(target: T, gate: (call: Call) => Promise<unknown>): T {
  return new Proxy(target, {
    get: (object, key) => {
      const member: unknown = Reflect.get(object, key)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) =>
        gate({ method: String(key), args, invoke: async () => Reflect.apply(member, object, args) as unknown })
    },
  })
}

function bound(node: NodeApi): Omit<NodeApi, 'follow'> {
  return {
    get: (options) => node.get(options),
    leaseRenewed: () => node.leaseRenewed(),
    annotate: (annotations, version) => node.annotate(annotations, version),
    configMap: (namespace, name) => node.configMap(namespace, name),
    secret: (namespace, name) => node.secret(namespace, name),
    mirrorPod: (namespace, name) => node.mirrorPod(namespace, name),
  }
}

function isRefused({ method }: Call, fault: DiskFault | undefined): boolean {
  return fault !== undefined && !(DISK_FAULTS[fault].lets as readonly string[]).includes(method)
}

function diskError(code: DiskFault | undefined, { method, args }: Call): Error {
  const { text } = DISK_FAULTS[code ?? 'EIO']
  return Object.assign(new Error(`${code}: ${text}, ${method} '${String(args[0])}'`), { code })
}

function unreachable(): KubeError {
  return new KubeError('reach the API server: connect ETIMEDOUT', { code: 0, reason: 'Unreachable' })
}
