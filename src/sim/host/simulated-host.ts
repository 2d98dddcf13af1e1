import type { PackageFormat } from '../../agent/package-manager.ts'
import { KUBELET_UNIT } from '../../agent/paths.ts'
import type { AgentPorts, Answer, Clock, Downloads, KubeletProbe, Log, NodeApi } from '../../agent/ports.ts'
import type { ServiceManagerName } from '../../agent/service-managers.ts'
import { AgentProcess, type Death, type Faults } from './faults.ts'
import { launchByKubeadm, launchByOwnUnit, launchByWrapper, type ReadLaunch, versionOfBinary } from './kubelet-launch.ts'
import { type Durations, outcomeOf, type ProcessOutcome } from './kubelet-process.ts'
import { KubeletStates } from './kubelet-states.ts'
import { judgeLaunch, type KnownFlags, type KubeletLaunch } from './kubelet-verdict.ts'
import { manifestDirectory } from './manifest-directory.ts'
import { MemoryFiles } from './memory-files.ts'
import { seedEnv, seedKubeadm } from './seed-host.ts'
import { simulatedAccounts } from './simulated-accounts.ts'
import { simulatedArchives } from './simulated-archives.ts'
import { simulatedBootMenu, simulatedTrustStore } from './simulated-derived-files.ts'
import { simulatedDownloads } from './simulated-downloads.ts'
import { SimulatedKernel } from './simulated-kernel.ts'
import { SimulatedPackages } from './simulated-packages.ts'
import { SimulatedServices } from './simulated-services.ts'
import { SimulatedSteps } from './simulated-steps.ts'

export interface SimulatedHostOptions {
  readonly clock: Clock
  /** What the agents' pauses are spread by; without it they are not. */
  readonly random?: () => number
  /** Of the kubelet that the host is made with: `1.35.4`. */
  readonly version: string
  /** `bare`: nothing on it has ever heard of a kubelet. */
  readonly layout?: 'kubeadm' | 'env' | 'bare'
  /** Of the env layout. */
  readonly environmentFile?: string
  /** What can be downloaded, by URL; shared by many hosts. */
  readonly artifacts?: ReadonlyMap<string, Uint8Array>
  readonly durations?: Partial<Durations & { readonly download: number; readonly grace: number; readonly boot: number }>
  readonly knownFlags?: KnownFlags
  /** Where the kubelet tells what it is and how it is, as it would in its Node's status. */
  readonly onNodeStatus?: (status: NodeStatus) => void | Promise<void>
  readonly units?: readonly string[]
  readonly serviceManager?: ServiceManagerName
  /** Default: apt. */
  readonly packageManager?: PackageFormat['manager']
  /** What the kernel takes from files when it starts. */
  readonly atBoot?: (files: MemoryFiles) => void
  /** The machine has started again: what starts agents there, does. */
  readonly onBooted?: () => void
}

export interface NodeStatus {
  readonly ready: boolean
  /** `v1.36.3`; undefined when nobody has heard from the kubelet for too long. */
  readonly kubeletVersion: string | undefined
  /** When the kubelet said so, in whole seconds as it does; undefined when it is another who speaks. */
  readonly heartbeat?: number
  /** When it renewed its Lease. */
  readonly renewed?: number
}

const DURATIONS = { healthy: 500, dying: 200, download: 0, grace: 50_000, boot: 30_000 }
/** Milliseconds from the order to reboot until nothing runs any more. */
const GOES_DOWN_IN = 5000
const APPROVED = '/var/lib/kubelet/pki/kubelet-server-current.pem'

/** To who comes from another machine. */
function servedBy(launch: KubeletLaunch, files: MemoryFiles): Answer {
  const config = launch.config ?? ''
  if (/^address: 127\./m.test(config)) return { ok: false, detail: 'connect ECONNREFUSED' }
  const waits = /^serverTLSBootstrap: true/m.test(config) && files.text(APPROVED) === undefined
  return waits ? { ok: false, detail: 'tlsv1 alert internal error' } : { ok: true, detail: 'it shows a certificate' }
}

/** How often a kubelet tries to tell its status. */
const STATUS_PERIOD = 10_000
const SILENT: Log = { info: () => {}, warn: () => {} }

/** A machine with a kubelet, in memory: files, a service manager, and a Node that shows what a real one would. */
export class SimulatedHost {
  readonly files = new MemoryFiles()
  readonly services: SimulatedServices
  readonly kernel = new SimulatedKernel(this.files)
  readonly trustStore = simulatedTrustStore(this.files)
  readonly bootMenu = simulatedBootMenu(this.files)
  readonly accounts = simulatedAccounts(this.files)
  readonly steps = new SimulatedSteps(this.files)
  readonly packages: SimulatedPackages
  readonly faults: Faults = { disk: undefined, network: undefined, services: undefined, reboot: undefined, dead: false }
  readonly #options: SimulatedHostOptions
  readonly #durations: typeof DURATIONS
  readonly #readLaunch: ReadLaunch
  readonly #states = new KubeletStates(this.files)
  readonly #processes: AgentProcess[] = []
  #crashReason: ((launch: KubeletLaunch) => string | undefined) | undefined

  constructor(options: SimulatedHostOptions) {
    this.#options = options
    const isOffline = () => this.faults.network === 'lost'
    const { clock, packageManager: manager } = options
    this.packages = new SimulatedPackages(this.files, { clock, isOffline, manager })
    this.#durations = { ...DURATIONS, ...options.durations }
    const environmentFile = options.environmentFile ?? '/etc/kubernetes/kubelet.env'
    const { layout = 'kubeadm' } = options
    this.#readLaunch = { kubeadm: launchByKubeadm, env: launchByWrapper(environmentFile), bare: launchByOwnUnit }[layout]
    if (layout === 'env') seedEnv(this.files, { environmentFile, version: options.version })
    if (layout === 'kubeadm') seedKubeadm(this.files, options.version)
    this.services = new SimulatedServices({
      files: this.files,
      clock: options.clock,
      units: [...(layout === 'bare' ? [] : [KUBELET_UNIT]), ...(options.units ?? ['containerd.service'])],
      startKubelet: () => this.#fate(),
      onStart: (pid, fate) => void this.#tellNode(pid, fate),
      onReboot: () => this.#reboot(),
      ...(options.serviceManager && { manager: options.serviceManager }),
    })
    this.services.boot()
  }

  /** An agent process on this host, with a way to the API server; it may be ordered to die. */
  process(node: NodeApi, options: { readonly death?: Death; readonly log?: Log } = {}): AgentProcess {
    const { clock, random = () => 0.5 } = this.#options
    const ports: AgentPorts = {
      files: this.files,
      services: this.services,
      kernel: this.kernel,
      trustStore: this.trustStore,
      bootMenu: this.bootMenu,
      accounts: this.accounts,
      packages: this.packages,
      steps: this.steps,
      kubelet: this.#probe(),
      downloads: this.#downloads(),
      archives: simulatedArchives(this.files),
      watchDirectory: this.files.watchDirectory,
      node,
      clock,
      random,
      log: options.log ?? SILENT,
    }
    const process = new AgentProcess(ports, this, options.death)
    this.#processes.push(process)
    return process
  }

  /** From now on kubelets die for reasons of their own: the one that runs, and each that starts while `reason` gives one. */
  injectCrash(reason: (launch: KubeletLaunch) => string | undefined): void {
    this.#crashReason = reason
    const words = reason(this.#readLaunch(this.files))
    if (words !== undefined) this.services.scheduleExit(0, words)
  }

  /** The machine goes down, and every process on it; its Node is noticed to be gone after the grace period. */
  powerOff(): void {
    this.faults.dead = true
    for (const process of this.#processes.splice(0)) process.kill()
    this.services.halt()
    void this.#noticeSilence()
  }

  /** Files are as they were, but for /run; what is enabled starts. Agents are processes: start new ones. */
  powerOn(options: Parameters<SimulatedServices['boot']>[0] = {}): void {
    this.faults.dead = false
    void this.files.removeTree('/run')
    this.#options.atBoot?.(this.files)
    this.kernel.boot()
    this.services.boot(options)
  }

  /** Where the kubelet that was started last looks for static pods; undefined: nowhere. */
  manifests: string | undefined
  /** How often it was asked to. */
  reboots = 0

  #reboot(): void {
    this.reboots++
    const { reboot } = this.faults
    if (reboot === 'refused') throw new Error('systemctl reboot is inhibited: apt 0 root 4711 apt shutdown upgrade block')
    if (reboot === 'ignored') return
    this.services.shutDown()
    void this.#startAgain(reboot === 'lost')
  }

  async #startAgain(isLost: boolean): Promise<void> {
    const { clock } = this.#options
    await clock.sleep(GOES_DOWN_IN)
    this.powerOff()
    // It was started, and its kernel does not come up.
    if (isLost) return this.kernel.boot()
    await clock.sleep(this.#durations.boot)
    this.powerOn()
    this.#options.onBooted?.()
  }

  #fate(): ProcessOutcome {
    const { knownFlags } = this.#options
    const fate = outcomeOf(() => this.#readLaunch(this.files), {
      durations: this.#durations,
      knownFlags,
      crashReason: (launch) => this.#crashReason?.(launch) ?? this.#states.refusal(launch),
    })
    if (fate.kind === 'runs') this.manifests = manifestDirectory(this.#readLaunch(this.files), this.files)
    return fate
  }

  /** A kubelet keeps trying to tell its status as long as it runs. */
  async #tellNode(pid: number, fate: ProcessOutcome): Promise<void> {
    if (fate.kind === 'dies' || fate.isElsewhere) return this.#noticeSilence()
    await this.#options.clock.sleep(fate.healthyAfter)
    while ((await this.services.show(KUBELET_UNIT)).mainPid === pid) {
      const renewed = this.#options.clock.now()
      const heartbeat = Math.floor(renewed / 1000) * 1000
      const status = { ready: true, kubeletVersion: fate.version, heartbeat, renewed }
      if (this.faults.network !== 'lost' && (await this.#posted(status))) return
      await this.#options.clock.sleep(STATUS_PERIOD)
    }
  }

  /** Nobody says that a kubelet died: the node controller gives it up when it has been silent for long enough. */
  async #noticeSilence(): Promise<void> {
    await this.#options.clock.sleep(this.#durations.grace)
    while (!this.services.isReporting()) {
      if (await this.#posted({ ready: false, kubeletVersion: undefined })) return
      await this.#options.clock.sleep(STATUS_PERIOD)
    }
  }

  async #posted(status: NodeStatus): Promise<boolean> {
    try {
      await this.#options.onNodeStatus?.(status)
      return true
    } catch {
      return false
    }
  }

  #probe(): KubeletProbe {
    return {
      version: async (binary) => {
        try {
          return versionOfBinary(this.files.text(binary))
        } catch (cause) {
          throw new Error(`run "${binary} --version": ${(cause as Error).message}`, { cause })
        }
      },
      preflight: async ({ binary, args, config }) => {
        const launch = {
          version: versionOfBinary(this.files.text(binary)),
          args,
          config: config === undefined ? null : this.files.text(config),
        }
        const verdict = judgeLaunch(launch, this.#options.knownFlags)
        return verdict.ok ? { ok: true, warnings: verdict.warnings } : { ok: false, message: verdict.message }
      },
      healthz: async (url) =>
        this.services.healthz() === url ? { ok: true, detail: '200 ok' } : { ok: false, detail: 'connect ECONNREFUSED' },
      serves: async () => {
        if (this.services.healthyVersion() === undefined) return { ok: false, detail: 'connect ECONNREFUSED' }
        return servedBy(this.#readLaunch(this.files), this.files)
      },
      runtime: async () => {
        const { exists, active } = await this.services.show('containerd.service')
        return exists && active !== 'active'
          ? { ok: false, detail: 'connect ECONNREFUSED' }
          : { ok: true, detail: 'it accepts connections' }
      },
    }
  }

  #downloads(): Downloads {
    const { clock, artifacts = new Map() } = this.#options
    return simulatedDownloads({ files: this.files, clock, faults: this.faults, artifacts, duration: this.#durations.download })
  }
}
