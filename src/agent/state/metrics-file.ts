import type { AgentStatus } from '../../protocol/agent-status.ts'
import type { HostFiles, Log } from '../ports.ts'

/** In the directory that the textfile collector of node-exporter reads. */
export const METRICS_FILE = 'nodewave.prom'

/** What the Node shows of this agent, also while the API server is away. No work waits for it, or fails with it. */
export class MetricsFile {
  readonly #path: string
  readonly #ports: { readonly files: Pick<HostFiles, 'writeAtomic'>; readonly log: Log }
  #text: string | undefined
  #written: string | undefined
  #isWriting = false

  constructor(directory: string, ports: { readonly files: Pick<HostFiles, 'writeAtomic'>; readonly log: Log }) {
    this.#path = `${directory}/${METRICS_FILE}`
    this.#ports = ports
  }

  show(status: AgentStatus): void {
    this.#text = metricsText(status)
    void this.#write()
  }

  /** The last text counts. One that could not be written is tried again with the next report. */
  async #write(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#text !== this.#written) {
      const text = this.#text ?? ''
      const done = await this.#tryToWrite(text)
      if (done) this.#written = text
      else if (text === this.#text) break
    }
    this.#isWriting = false
  }

  async #tryToWrite(text: string): Promise<boolean> {
    const { files, log } = this.#ports
    try {
      await files.writeAtomic(this.#path, Buffer.from(text), { mode: 0o644 })
      return true
    } catch (error) {
      log.warn('metrics not written', { file: this.#path, error: String(error) })
      return false
    }
  }
}

/** As Prometheus reads it. */
export function metricsText({ phase, since, agent = 'unknown', revision = '', drift = [], reboot }: AgentStatus): string {
  return [
    ...metric('nodewave_agent_info', '1, with the version of the agent.', { labels: { version: agent }, value: 1 }),
    ...metric('nodewave_agent_phase', '1, with where the agent stands.', { labels: { phase }, value: 1 }),
    ...metric('nodewave_agent_phase_start_timestamp_seconds', 'When the phase began.', { value: Date.parse(since) / 1000 }),
    ...metric('nodewave_agent_revision', '1, with the commit that the phase speaks of.', { labels: { revision }, value: 1 }),
    ...metric('nodewave_agent_drifted_paths', 'Paths that are not as they were applied.', { value: drift.length }),
    ...metric('nodewave_agent_reboot_needed', '1 while the host has to reboot.', { value: reboot === undefined ? 0 : 1 }),
    '',
  ].join('\n')
}

interface Series {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

function metric(name: string, help: string, { labels = {}, value }: Series): string[] {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  const series = pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${series} ${value}`]
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
