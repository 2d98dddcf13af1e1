import { dirname } from 'node:path'
import { kubeNodeApi } from '../../../src/agent/adapters/kube-node-api.ts'
import { Agent } from '../../../src/agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { statePaths } from '../../../src/agent/paths.ts'
import type { AgentPorts, NodeApi } from '../../../src/agent/ports.ts'
import type { KubeApi } from '../../../src/kube/kube-api.ts'
import type { AgentProcess, Death } from '../../../src/sim/host/faults.ts'
import { type NodeStatus, SimulatedHost } from '../../../src/sim/host/simulated-host.ts'
import type { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import type { Random } from '../random.ts'
import { CUTS, WITHERS } from './commits.ts'
import { patiently, Trouble, unreliableKube } from './unreliable-kube.ts'

export interface MachineOptions {
  readonly name: string
  readonly pool: string
  readonly kube: KubeApi
  readonly clock: VirtualClock
  readonly random: Random
  /** It has a pause image; what it sent to a network that was lost arrives when that is back. */
  readonly isLate: boolean
}

const VERSION = '1.36.3'
const FLAGS = '/etc/default/kubelet'
/** Milliseconds after which the node controller gives a kubelet up. */
const GRACE = 40_000
/** Milliseconds after which a kubelet reports again though nothing has changed. */
const REPORTS_EVERY = 300_000
/** Milliseconds between two packets. */
const HELD = 2_000
const { active: ACTIVE, outcome: OUTCOME } = statePaths()
const IMAGES = [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }]
const NODES = '/api/v1/nodes'

/** A simulated host with the real agent, which is started again by itself when it dies; and its Node. */
export class Machine {
  readonly name: string
  readonly pool: string
  readonly trouble = new Trouble()
  readonly host: SimulatedHost
  /** Monotonic milliseconds. */
  readonly joinedAt: number
  readonly #options: MachineOptions
  #running: { readonly process: AgentProcess; readonly stop: AbortController } | undefined
  #ready: { readonly value: boolean; readonly since: string } | undefined
  #gone = false
  #wasDown = false
  #ran: string | undefined
  #outcome: string | undefined
  /** Monotonic milliseconds; since when nothing was heard of its kubelet. */
  #silentSince: number | undefined
  /** Monotonic milliseconds; when its kubelet last told how it is. */
  #toldAt = 0

  private constructor(options: MachineOptions) {
    this.#options = options
    this.name = options.name
    this.pool = options.pool
    this.joinedAt = options.clock.elapsed()
    const onNodeStatus = (status: NodeStatus): Promise<void> => this.#tellStatus(status)
    this.host = new SimulatedHost({ clock: options.clock, version: VERSION, onNodeStatus })
    obeyFlags(this.host)
    if (options.isLate) void witherByFlags(this.host, options)
  }

  /** Registers the Node and starts the agent. */
  static async join(options: MachineOptions): Promise<Machine> {
    const { kube, name, pool } = options
    const labels = { role: pool, 'topology.kubernetes.io/zone': `zone-${options.random.below(3)}` }
    const reports = options.isLate ? { images: IMAGES, allocatable: { pods: '110' } } : {}
    const nodeInfo = { architecture: 'amd64', osImage: 'Debian', kubeletVersion: `v${VERSION}` }
    await kube.create(NODES, { metadata: { name, labels }, status: { nodeInfo, ...reports } })
    const machine = new Machine(options)
    await machine.#noteEndings()
    await machine.#tellStatus({ ready: true, kubeletVersion: `v${VERSION}` })
    await kube.patch(`${NODES}/${name}`, { spec: { taints: null } })
    machine.startAgent()
    return machine
  }

  /** Its kubelet was given up at least once. */
  get wasDown(): boolean {
    return this.#wasDown
  }

  /** The content that the host ran when its agent had last ended an assignment, other than by giving the host back. */
  get ran(): string | undefined {
    return this.#ran
  }

  async #noteEndings(): Promise<void> {
    const { files } = this.host
    await files.makeDirectory(dirname(OUTCOME))
    await files.watchDirectory(dirname(OUTCOME), () => {
      const outcome = files.text(OUTCOME)
      if (outcome === this.#outcome || outcome?.includes('"phase":"Reverted"')) return
      this.#outcome = outcome
      this.#ran = files.text(ACTIVE)
    })
  }

  /** The Node is deleted, and its machine is no more. */
  async leave(): Promise<void> {
    this.#gone = true
    this.killAgent()
    this.host.powerOff()
    await this.#options.kube.delete(`${NODES}/${this.name}`)
  }

  /** Takes the place of the one that is there. @param death when it is to die */
  startAgent(death?: Death): void {
    this.killAgent()
    const { kube, clock, random } = this.#options
    const stop = new AbortController()
    const api = kubeNodeApi(unreliableKube(kube, { trouble: this.trouble, clock, random }), this.name)
    const process = this.host.process(api, death && { death })
    this.#running = { process, stop }
    void new Agent(this.#options.isLate ? this.#heldPorts(process, api) : process.ports, DEFAULT_OPTIONS).run(stop.signal)
  }

  /** A kernel sends again what was not answered, also for a process that has given up. */
  #heldPorts({ ports }: AgentProcess, api: NodeApi): AgentPorts {
    const { clock } = this.#options
    const { faults } = this.host
    const whenBack = async (): Promise<void> => {
      while (faults.network === 'lost') await clock.sleep(HELD)
    }
    const annotate: NodeApi['annotate'] = (...args) =>
      faults.network === 'lost'
        ? patiently(
            whenBack().then(() => api.annotate(...args)),
            clock,
          )
        : ports.node.annotate(...args)
    return { ...ports, node: { ...ports.node, annotate } }
  }

  killAgent(): void {
    this.#running?.process.kill()
    this.#running?.stop.abort()
  }

  /** The service manager starts an agent that has died. */
  keepAgentRunning(): void {
    if (this.#running?.process.dead && !this.host.faults.dead) this.startAgent()
  }

  powerOff(): void {
    this.killAgent()
    this.host.powerOff()
  }

  powerOn(): void {
    this.host.powerOn()
    this.startAgent()
  }

  /** What the node controller of Kubernetes and the kubelet make of a network that is lost, and of one that is back. */
  async showSilence(): Promise<void> {
    const { clock } = this.#options
    const kubeletVersion = this.host.services.healthyVersion()
    const isSilent = this.host.faults.network === 'lost' || kubeletVersion === undefined
    this.#silentSince = isSilent ? (this.#silentSince ?? clock.elapsed()) : undefined
    const isGivenUp = clock.elapsed() - (this.#silentSince ?? clock.elapsed()) >= GRACE
    if (isGivenUp && this.#ready?.value) await this.#tellStatus({ ready: false, kubeletVersion: undefined })
    if (!isSilent && !this.#ready?.value) await this.#tellStatus({ ready: true, kubeletVersion, heartbeat: clock.now() })
  }

  /** What a kubelet that is well does every few minutes. */
  async reportAgain(): Promise<void> {
    const { clock } = this.#options
    const kubeletVersion = this.host.services.healthyVersion()
    const isDue = clock.elapsed() - this.#toldAt >= REPORTS_EVERY
    if (!isDue || !this.#ready?.value || kubeletVersion === undefined || this.host.faults.network === 'lost') return
    await this.#tellStatus({ ready: true, kubeletVersion, heartbeat: clock.now() })
  }

  async #tellStatus({ ready, kubeletVersion, heartbeat }: NodeStatus): Promise<void> {
    if (this.#gone) return
    this.#toldAt = this.#options.clock.elapsed()
    this.#wasDown ||= !ready
    const now = new Date(this.#options.clock.now()).toISOString()
    if (this.#ready?.value !== ready) this.#ready = { value: ready, since: now }
    const condition = {
      type: 'Ready',
      status: ready ? 'True' : 'Unknown',
      lastTransitionTime: this.#ready.since,
      ...(heartbeat === undefined ? {} : { lastHeartbeatTime: new Date(heartbeat).toISOString() }),
    }
    const nodeInfo = kubeletVersion === undefined ? {} : { nodeInfo: { kubeletVersion } }
    const status = { conditions: [condition], ...nodeInfo }
    await this.#options.kube.patch(`${NODES}/${this.name}/status`, { status }, { type: 'strategic' })
  }
}

/** The network is lost by a fault, or by what stands in the flags of the kubelet. */
function obeyFlags(host: SimulatedHost): void {
  let fault = host.faults.network
  Object.defineProperty(host.faults, 'network', {
    get: () => (host.files.text(FLAGS)?.includes(CUTS) ? 'lost' : fault),
    set: (value: typeof fault) => {
      fault = value
    },
  })
}

/** Seconds from the file of its flags to the death of the kubelet; its trial has not ended then. */
const WITHERS_WITHIN = [10, 25, 40]

/** Well at first, and not for long. Each time anew: the agent may be given the same content again. */
async function witherByFlags(host: SimulatedHost, { clock, random }: MachineOptions): Promise<void> {
  const isOn = (): boolean => host.files.text(FLAGS)?.includes(WITHERS) ?? false
  let since: number | undefined
  await host.files.watchDirectory(dirname(FLAGS), () => {
    if (!isOn()) {
      since = undefined
      host.injectCrash(() => undefined)
    } else if (since === undefined) void wither()
  })
  async function wither(): Promise<void> {
    const begun = clock.elapsed()
    since = begun
    await clock.sleep(random.pick(WITHERS_WITHIN) * 1000)
    if (since === begun && isOn())
      host.injectCrash(({ args }) => (args.some((arg) => arg.includes(WITHERS)) ? 'panic' : undefined))
  }
}
