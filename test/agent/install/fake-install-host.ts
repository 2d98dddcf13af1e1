import type { InstallHost } from '../../../src/agent/install/install-host.ts'
import type { ServiceState } from '../../../src/agent/ports.ts'
import type { Contact } from '../../../src/agent/state/contact.ts'

const UNIT_FILE = '/etc/systemd/system/nodewave-agent.service'
const SECOND = 1000

/** What the agent of a version does once it was started. */
export type Behaviour = 'reports' | 'crashes' | 'silent'

/** A host as far as installing sees it. Its service manager starts what /opt/nodewave/current leads to. */
export class FakeInstallHost implements InstallHost {
  readonly files = new Map<string, string>()
  readonly links = new Map<string, string>()
  readonly said: string[] = []
  readonly stopped: string[] = []
  /** Called after each file that is removed: a removal may be ended in the middle. */
  removed = (): void => undefined
  /** As an overlay of file systems, which renames no directory of a lower one. */
  renamesNothing = false
  enabled = false
  /** Of each version; the others report. */
  readonly behaviours = new Map<string, Behaviour>()
  /** Milliseconds that the agent which runs still needs for its change when it is asked to leave. */
  changeTakes = 0
  /** Milliseconds that the wall clock was set ahead. */
  setAhead = 0
  #now = 0
  #pids = 100
  #agent: { readonly pid: number; readonly version: string; reportsAt: number } | undefined
  #leavesAt: number | undefined

  constructor(versions: readonly string[]) {
    for (const version of versions) {
      this.files.set(`/opt/nodewave/${version}/nodewave-agent.mjs`, '')
      this.files.set(`/opt/nodewave/${version}/nodewave-agent.service`, `unit of ${version}`)
    }
  }

  get running(): string | undefined {
    return this.#agent?.version
  }

  readonly clock = {
    now: () => this.#now + this.setAhead,
    elapsed: () => this.#now,
    sleep: async (milliseconds: number) => {
      this.#now += milliseconds
      if (this.#leavesAt === undefined || this.#now < this.#leavesAt) return
      this.stopped.push(`${this.running} left`)
      this.#launch()
    },
  }

  readonly services = {
    show: async (): Promise<ServiceState> => ({
      exists: this.files.has(UNIT_FILE),
      isGone: !this.files.has(UNIT_FILE),
      active: this.#agent === undefined ? 'inactive' : 'active',
      enabled: this.enabled,
      isStatic: false,
      mainPid: this.#agent?.pid ?? 0,
      restarts: 0,
      runningFor: 0,
      lastExit: 0,
    }),
    start: async () => this.#launch(),
    restart: async () => {
      this.stopped.push(`${this.running} restarted`)
      this.#launch()
    },
    stop: async () => {
      this.#agent = undefined
    },
    enable: async () => {
      this.enabled = true
    },
    disable: async () => {
      this.enabled = false
    },
    reload: async () => {},
    lastWords: async () => ['its last words'],
  }

  readLink = async (path: string) => this.links.get(path)
  setLink = async (path: string, target: string) => void this.links.set(path, target)
  read = async (path: string) => this.files.get(path)
  write = async (path: string, text: string) => void this.files.set(path, text)
  say = (line: string) => void this.said.push(line)

  async remove(path: string): Promise<void> {
    this.links.delete(path)
    for (const name of [...this.files.keys()]) {
      if (name !== path && !name.startsWith(`${path}/`)) continue
      this.files.delete(name)
      this.removed()
    }
  }

  async rename(path: string, to: string): Promise<boolean> {
    if (this.renamesNothing) return false
    const target = `${path.slice(0, path.lastIndexOf('/'))}/${to}`
    for (const [name, text] of [...this.files]) {
      if (!name.startsWith(`${path}/`)) continue
      this.files.delete(name)
      this.files.set(`${target}${name.slice(path.length)}`, text)
    }
    return true
  }

  async list(path: string): Promise<string[]> {
    const names = [...this.files.keys(), ...this.links.keys()].filter((name) => name.startsWith(`${path}/`))
    return [...new Set(names.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''))].sort()
  }

  async contact(): Promise<Contact | undefined> {
    if (this.#agent === undefined || this.#now < this.#agent.reportsAt) return undefined
    const { pid, version } = this.#agent
    return { pid, started: String(pid), version }
  }

  askToLeave(pid: number): void {
    if (pid === this.#agent?.pid) this.#leavesAt ??= this.#now + this.changeTakes
  }

  #launch(): void {
    const version = this.links.get('/opt/nodewave/current') ?? ''
    const behaviour = this.behaviours.get(version) ?? 'reports'
    const reportsAt = behaviour === 'reports' ? this.#now + SECOND : Number.POSITIVE_INFINITY
    this.#leavesAt = undefined
    this.#agent = behaviour === 'crashes' ? undefined : { pid: this.#pids++, version, reportsAt }
  }
}
