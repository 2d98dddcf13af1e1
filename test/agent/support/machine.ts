import { Agent } from '../../../src/agent/loop/agent.ts'
import { type AgentOptions, DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import type { Log, Supervisor } from '../../../src/agent/ports.ts'
import { Kinds } from '../../../src/agent/resources/kinds.ts'
import { sha256Of } from '../../../src/agent/sha256.ts'
import { type AgentStatus, parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { type DesiredConfig, formatDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { contentDigest, type NodeContent } from '../../../src/protocol/digest.ts'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { AgentProcess, Death } from '../../../src/sim/host/faults.ts'
import { kubeletBinary } from '../../../src/sim/host/kubelet-launch.ts'
import { SimulatedHost, type SimulatedHostOptions } from '../../../src/sim/host/simulated-host.ts'
import { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import { FakeNode } from './fake-node.ts'
import { mirrorOn } from './static-pods.ts'

export interface MachineOptions extends Partial<Omit<SimulatedHostOptions, 'clock'>> {
  readonly agent?: Partial<AgentOptions>
  /** What the agent can manage; more than it has by itself, or less. */
  readonly kinds?: Kinds
}

/** A simulated host, its Node, and the agents that ran on it. */
export class Machine {
  readonly clock = new VirtualClock()
  readonly node: FakeNode
  readonly host: SimulatedHost
  readonly artifacts = new Map<string, Uint8Array>()
  readonly logged: string[] = []
  /** Of the agent that is started next. */
  kinds: Kinds
  /** The same. */
  supervisor: Supervisor | undefined
  /** Of the agent that the machine starts when it comes up for the first time. */
  deathAfterBoot: Death | undefined
  readonly #options: AgentOptions
  #stop = new AbortController()
  #agent: AgentProcess | undefined

  constructor({ agent, kinds = new Kinds(), ...host }: MachineOptions = {}) {
    this.kinds = kinds
    const version = host.version ?? '1.35.4'
    this.#options = { ...DEFAULT_OPTIONS, ...agent }
    this.node = new FakeNode(`v${version.replaceAll('_', '+')}`)
    this.host = new SimulatedHost({
      ...host,
      version,
      clock: this.clock,
      artifacts: this.artifacts,
      onNodeStatus: (status) => this.node.kubeletTold(status),
      onBooted: () => this.#startAfterBoot(),
    })
    this.node.mirror = (namespace, name) => mirrorOn(this.host, { namespace, name })
  }

  /** Starts the agent, as the service manager would; it takes the place of one that is there. */
  start(death?: Death, agent: Partial<AgentOptions> = {}): AgentProcess {
    const note = (message: string, fields?: object): void => void this.logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
    const log: Log = { info: note, warn: note }
    this.#stop = new AbortController()
    this.#agent = this.host.process(this.node, { log, ...(death === undefined ? {} : { death }) })
    const ports = { ...this.#agent.ports, ...(this.supervisor && { supervisor: this.supervisor }) }
    void new Agent(ports, { ...this.#options, ...agent }, this.kinds).run(this.#stop.signal)
    return this.#agent
  }

  #startAfterBoot(): void {
    const death = this.deathAfterBoot
    this.deathAfterBoot = undefined
    this.start(death)
  }

  /** Asks the agent to end, as `systemctl restart` does first: it finishes what it has begun. */
  stop(): void {
    this.#stop.abort()
  }

  /** Ends the agent as `kill -9` would. */
  kill(): void {
    this.#agent?.kill()
    this.#stop.abort()
  }

  /** That was started last. */
  get agent(): AgentProcess | undefined {
    return this.#agent
  }

  get status(): AgentStatus | undefined {
    return parseAgentStatus(this.node.annotations[namesFor(this.#options.prefix).status])
  }

  get currentConfig(): string | undefined {
    return this.node.annotations[namesFor(this.#options.prefix).currentConfig]
  }

  /** Writes what the controller would: ConfigMaps named by content, and the annotation. @returns the digest */
  assign(content: NodeContent, more: Partial<DesiredConfig> = {}): string {
    const digest = contentDigest(content)
    const name = digest.slice(3, 13)
    const { flags, config, host, secret, version, opts } = content
    if (flags !== undefined || config !== undefined)
      this.node.configMaps.set(`nodewave-system/kubelet-${name}`, present({ 'kubelet-flags': flags, kubelet: config }))
    if (host !== undefined) this.node.configMaps.set(`nodewave-system/host-${name}`, { host })
    if (secret !== undefined) this.node.secrets.set(`nodewave-system/secret-${name}`, { secret })
    this.annotate({
      ...present({ KUBELET_VERSION: version, KUBELET_OPTS: opts }),
      ...(flags === undefined && config === undefined ? {} : { KUBELET_CONFIG: `kubelet-${name}` }),
      ...(host === undefined ? {} : { HOST_CONFIG: `host-${name}` }),
      ...(secret === undefined ? {} : { SECRET_CONFIG: `secret-${name}` }),
      DIGEST: digest,
      ...more,
    })
    return digest
  }

  annotate(desired: DesiredConfig | string | null): void {
    const text = desired === null || typeof desired === 'string' ? desired : formatDesiredConfig(desired)
    this.node.write(namesFor(this.#options.prefix).desiredConfig, text)
  }

  /** Until the status shows one of these phases for what is assigned now. */
  async until(...phases: AgentStatus['phase'][]): Promise<AgentStatus> {
    await this.clock
      .runUntil(() => this.status !== undefined && phases.includes(this.status.phase))
      .catch((cause: unknown) => {
        throw new Error(`wait for ${phases.join(', ')}: ${JSON.stringify(this.status)}\n${this.logged.join('\n')}`, { cause })
      })
    return this.status as AgentStatus
  }

  /** Until the status speaks of this digest and is one of these phases. */
  async untilDigest(digest: string, phase: AgentStatus['phase']): Promise<AgentStatus> {
    await this.clock
      .runUntil(() => this.status?.digest === digest && this.status.phase === phase)
      .catch((cause: unknown) => {
        throw new Error(`wait for ${phase} of ${digest}: ${JSON.stringify(this.status)}\n${this.logged.join('\n')}`, { cause })
      })
    return this.status as AgentStatus
  }

  /** A host document's `kubelet` that brings this version, and the release server that has it. */
  release(version: string): NonNullable<HostDocument['kubelet']> {
    const bytes = kubeletBinary(version)
    const url = `https://releases.test/v${version}/kubelet`
    this.artifacts.set(url, bytes)
    return { binary: { amd64: { url, sha256: sha256Of(bytes) } } }
  }

  /** Files of the host that are not the agent's own. */
  hostFiles(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.host.files.snapshot()).filter(([path]) => !path.startsWith('/var/lib/nodewave/')),
    )
  }
}

function present(entries: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
