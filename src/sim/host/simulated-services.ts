import { isUnitPath, KUBELET_UNIT } from '../../agent/paths.ts'
import type { Clock, MachineState, ServiceManager, ServiceState, UnitLook } from '../../agent/ports.ts'
import { definitionsOf, isTemplate, type ServiceManagerName, templateOf } from '../../agent/service-managers.ts'
import { unitOfScript } from '../../protocol/file-readers.ts'
import type { ProcessOutcome } from './kubelet-process.ts'
import type { MemoryFiles } from './memory-files.ts'

interface Unit {
  /** There from the beginning, and without a file of its own that could be removed. */
  readonly brought: boolean
  /** Runs without its file, as systemd read it last: it can be stopped, and not be started again. */
  isGone: boolean
  enabled: boolean
  /** Its file has no [Install]. */
  isStatic: boolean
  active: ServiceState['active']
  pid: number
  /** Monotonic milliseconds of the last start. */
  startedAt: number
  restarts: number
  lastExit: number
  fate: ProcessOutcome
}

export interface ServicesOptions {
  readonly files: MemoryFiles
  readonly clock: Clock
  readonly startKubelet: () => ProcessOutcome
  /** Called when a kubelet has started, with what becomes of it. */
  readonly onStart: (pid: number, fate: ProcessOutcome) => void
  /** The machine is asked to start again. @throws when it refuses. */
  readonly onReboot: () => void
  /** Units that the host has from the beginning. */
  readonly units: readonly string[]
  /** What it says that it is; it behaves like systemd. Default: systemd. */
  readonly manager?: ServiceManagerName
}

/** As kubeadm's unit has it: `Restart=always`, `RestartSec=10`, no start limit. So it never is `failed`. */
const RESTART_SEC = 10_000
/** The last part of the path of a unit's own file. */
const UNIT_NAME = /\/([^/]+\.(?:service|socket|timer|mount|automount|path|target))$/
/** Of Type=oneshot: it works, and is done. */
const JOB = { kind: 'dies', after: 20_000, exit: 0, message: 'done' } as const satisfies ProcessOutcome
const RUNS_FOR_EVER: ProcessOutcome = { kind: 'runs', version: '', healthyAfter: 0, healthz: undefined }

/** A service manager that behaves like systemd; as another one it reads scripts. Nothing happens in the background: what time has brought shows when somebody looks. */
export class SimulatedServices implements ServiceManager {
  readonly name: ServiceManagerName
  readonly #options: ServicesOptions
  readonly #units = new Map<string, Unit>()
  readonly #words: { readonly at: number; readonly unit: string; readonly line: string }[] = []
  /** Texts of unit files by unit, as they were read last. */
  #defined: ReadonlyMap<string, string> = new Map()
  #nextPid = 1000
  #machine: MachineState = 'up'
  #boots = 0

  constructor(options: ServicesOptions) {
    this.#options = options
    this.name = options.manager ?? 'systemd'
    for (const name of options.units) this.#units.set(name, { ...stoppedUnit(), brought: true, enabled: true })
  }

  async show(name: string): Promise<ServiceState> {
    const unit = this.#catchUp(name)
    if (unit === undefined || this.#isUnknown(unit)) return MISSING
    const { isGone, enabled, isStatic, active, pid, restarts, startedAt, lastExit } = unit
    const runningFor = pid === 0 ? 0 : this.#options.clock.elapsed() - startedAt
    return {
      exists: !isGone,
      isGone,
      isJob: unit.fate === JOB && active === 'activating',
      enabled,
      isStatic,
      active,
      mainPid: pid,
      restarts,
      runningFor,
      lastExit,
    }
  }

  showAll(names: readonly string[]): Promise<UnitLook[]> {
    return Promise.all(names.map(async (unit) => ({ unit, service: await this.show(unit) })))
  }

  async stoppedWith(names: readonly string[]): Promise<string[]> {
    const found = new Set(names)
    // What is added is looked at, too.
    for (const name of found) {
      for (const [other] of this.#requiring(name)) found.add(other)
      if (name.endsWith('.socket')) found.add(name.replace(/socket$/, 'service'))
    }
    return [...found].filter((name) => !names.includes(name))
  }

  async start(name: string): Promise<void> {
    const unit = this.#startable(name)
    if (unit.active === 'active') return
    if (this.#units.get(name.replace(/\.socket$/, '.service'))?.active === 'active' && name.endsWith('.socket'))
      throw new Error(`systemctl: Job for ${name} failed.`)
    this.#launch(name, unit)
  }

  async restart(name: string): Promise<void> {
    // Unmounted, and nothing says how to mount it again.
    if (name.endsWith('.mount') && this.#known(name).isGone) await this.stop(name)
    const unit = this.#startable(name)
    unit.restarts = 0
    this.#launch(name, unit)
    for (const [other, { active }] of this.#requiring(name)) if (active === 'active') await this.restart(other)
  }

  async stop(name: string): Promise<void> {
    const unit = this.#known(name)
    Object.assign(unit, { active: 'inactive', pid: 0, lastExit: 0 })
    if (unit.isGone) this.#units.delete(name)
    for (const [other, { active }] of this.#requiring(name)) if (active === 'active') await this.stop(other)
  }

  /** As systemctl does: for a unit without [Install] there is nothing to do, which is no error. */
  async enable(name: string): Promise<void> {
    const unit = this.#startable(name)
    unit.enabled ||= !unit.isStatic
  }

  async disable(name: string): Promise<void> {
    this.#known(name).enabled = false
  }

  async reload(): Promise<void> {
    this.#readFiles()
  }

  /** As `mount` does it: a unit that runs and has no file. */
  mountByHand(name: string): void {
    const startedAt = this.#options.clock.elapsed()
    this.#units.set(name, { ...stoppedUnit(), isGone: true, active: 'active', pid: this.#nextPid++, startedAt })
  }

  #requiring(name: string): (readonly [string, Unit])[] {
    return [...this.#units].filter(([other]) => {
      const [, required = ''] = /^(?:Requires|BindsTo|PartOf)=(.*)$/m.exec(this.#defined.get(other) ?? '') ?? []
      return required.split(' ').includes(name)
    })
  }

  /** Others than systemd know no service without its script, whether it runs or not. */
  #isUnknown({ isGone }: Unit): boolean {
    return isGone && this.name !== 'systemd'
  }

  #readFiles(): void {
    const found = this.#inFiles()
    for (const [name, unit] of this.#units) {
      unit.isGone = !(unit.brought || found.has(name) || found.has(templateOf(name)))
      if (unit.isGone && unit.pid === 0) this.#units.delete(name)
      if (unit.isGone) unit.enabled = false
    }
    this.#defined = found
    for (const name of found.keys()) if (!this.#units.has(name)) this.#units.set(name, stoppedUnit())
    // What the host brought has an [Install], and scripts have no need of one.
    if (this.name !== 'systemd') return
    for (const [name, unit] of this.#units) unit.isStatic = found.has(name) && !/^\[Install\]/m.test(found.get(name) ?? '')
  }

  /** Texts of the unit files that somebody wrote, by unit; those that the host brought have theirs where nobody looks. */
  #inFiles(): ReadonlyMap<string, string> {
    const texts = Object.entries(this.#options.files.snapshot()).map(([path, text]) => [this.#unitOf(path), text] as const)
    return new Map(texts.flatMap(([name, text]) => (name === undefined ? [] : [[name, text]])))
  }

  #unitOf(path: string): string | undefined {
    if (this.name === 'systemd') return isUnitPath(path) ? UNIT_NAME.exec(path)?.[1] : undefined
    const name = unitOfScript(path)
    return name !== undefined && definitionsOf(this.name, name).includes(path) ? name : undefined
  }

  async machine(): Promise<MachineState> {
    return this.#machine
  }

  async lastWords(name: string, since: number): Promise<string[]> {
    this.#catchUp(name)
    return this.#words.filter(({ at, unit }) => unit === name && at >= since).map(({ line }) => line)
  }

  async bootId(): Promise<string> {
    return `boot-${this.#boots}`
  }

  async reboot(): Promise<void> {
    this.#options.onReboot()
  }

  /** The machine is off: no process is left. */
  halt(): void {
    for (const unit of this.#units.values()) Object.assign(unit, { active: 'inactive', pid: 0 })
  }

  /** The machine goes down: everything is stopped, and nothing can be started any more. */
  shutDown(): void {
    this.halt()
    this.#machine = 'stopping'
  }

  /** @param options.machine what the machine says of itself from then on */
  boot({ machine = 'up' }: { readonly machine?: MachineState } = {}): void {
    this.#machine = machine
    this.#boots++
    for (const [name, unit] of this.#units) if (unit.enabled) this.#launch(name, Object.assign(unit, { restarts: 0 }))
  }

  /** The version that runs and answers, or undefined. */
  healthyVersion(): string | undefined {
    const unit = this.#catchUp(KUBELET_UNIT)
    if (unit === undefined || unit.active !== 'active' || unit.fate.kind !== 'runs') return undefined
    return this.#options.clock.elapsed() >= unit.startedAt + unit.fate.healthyAfter ? unit.fate.version : undefined
  }

  /** Where the kubelet that runs answers. */
  healthz(): string | undefined {
    const fate = this.#units.get(KUBELET_UNIT)?.fate
    return this.healthyVersion() !== undefined && fate?.kind === 'runs' ? fate.healthz : undefined
  }

  /** Whether the Node hears of the kubelet that runs. */
  isReporting(): boolean {
    const fate = this.#units.get(KUBELET_UNIT)?.fate
    return this.healthyVersion() !== undefined && fate?.kind === 'runs' && fate.isElsewhere !== true
  }

  /** The running kubelet will die of itself, for whatever reason is not in its configuration. */
  scheduleExit(after: number, message: string): void {
    const unit = this.#known(KUBELET_UNIT)
    const died = this.#options.clock.elapsed() - unit.startedAt + after
    unit.fate = { kind: 'dies', after: died, exit: 1, message }
  }

  #known(name: string): Unit {
    const unit = this.#catchUp(name)
    if (unit === undefined || this.#isUnknown(unit)) throw notFound(name)
    return unit
  }

  #startable(name: string): Unit {
    if (isTemplate(name)) throw new Error(`systemctl: Unit name ${name} is missing the instance name.`)
    const unit = this.#known(name)
    if (unit.isGone) throw notFound(name)
    return unit
  }

  /** Exits and restarts that have happened since somebody looked last. */
  #catchUp(name: string): Unit | undefined {
    // Scripts are read each time.
    if (this.name !== 'systemd') this.#readFiles()
    if (!this.#units.has(name) && this.#defined.has(templateOf(name))) this.#units.set(name, stoppedUnit())
    const unit = this.#units.get(name)
    const now = this.#options.clock.elapsed()
    if (unit?.fate === JOB && unit.active === 'activating' && now >= unit.startedAt + JOB.after)
      Object.assign(unit, { active: 'inactive', pid: 0 })
    while (unit?.fate !== JOB && (unit?.active === 'active' || unit?.active === 'activating')) {
      if (unit.fate.kind !== 'dies') break
      const diesAt = unit.startedAt + unit.fate.after
      if (unit.active === 'active' && now >= diesAt) this.#exit(name, unit, unit.fate)
      if (unit.active !== 'activating' || now < diesAt + RESTART_SEC) break
      unit.restarts++
      this.#launch(name, unit, diesAt + RESTART_SEC)
    }
    return unit
  }

  #exit(name: string, unit: Unit, fate: Extract<ProcessOutcome, { kind: 'dies' }>): void {
    const { clock } = this.#options
    const diedAgo = clock.elapsed() - unit.startedAt - fate.after
    this.#words.push({ at: clock.now() - diedAgo, unit: name, line: fate.message })
    Object.assign(unit, { active: 'activating', pid: 0, lastExit: fate.exit })
  }

  #launch(name: string, unit: Unit, at: number = this.#options.clock.elapsed()): void {
    if (this.#machine === 'stopping') throw new Error(`systemctl: Transaction for ${name}/start is destructive.`)
    const { startKubelet, onStart } = this.#options
    const isJob = /^Type=oneshot$/m.test(this.#defined.get(name) ?? '')
    const fate = name === KUBELET_UNIT ? startKubelet() : isJob ? JOB : RUNS_FOR_EVER
    const pid = this.#nextPid++
    Object.assign(unit, { active: isJob ? 'activating' : 'active', pid, startedAt: at, lastExit: 0, fate })
    if (name === KUBELET_UNIT) onStart(pid, fate)
  }
}

function notFound(name: string): Error {
  return new Error(`systemctl: Unit ${name} not found.`)
}

function stoppedUnit(): Unit {
  return {
    brought: false,
    isGone: false,
    enabled: false,
    isStatic: false,
    active: 'inactive',
    pid: 0,
    startedAt: 0,
    restarts: 0,
    lastExit: 0,
    fate: RUNS_FOR_EVER,
  }
}

const MISSING: ServiceState = {
  exists: false,
  isGone: true,
  enabled: false,
  isStatic: false,
  active: 'inactive',
  mainPid: 0,
  restarts: 0,
  runningFor: 0,
  lastExit: 0,
}
