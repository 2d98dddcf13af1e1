import type { AgentPorts } from '../ports.ts'

/** Milliseconds. A look of the guard that takes longer never ends: the longest downloads what last worked, and proves it. */
export const LONGEST_LOOK = 60 * 60_000

/**
 * Tells the service manager that the agent lives, as long as its guard goes on looking: an event loop that is stuck, and a guard that waits
 * for what never comes, are ended by the service manager, and the next agent takes up what was under way.
 */
export class Pulse {
  readonly #ports: Pick<AgentPorts, 'clock' | 'log' | 'supervisor'>
  #lookedAt: number

  constructor(ports: Pick<AgentPorts, 'clock' | 'log' | 'supervisor'>) {
    this.#ports = ports
    this.#lookedAt = ports.clock.elapsed()
  }

  /** The guard begins a look. */
  beat(): void {
    this.#lookedAt = this.#ports.clock.elapsed()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, supervisor } = this.#ports
    if (supervisor === undefined) return
    while (!signal.aborted) {
      const silence = clock.elapsed() - this.#lookedAt
      if (silence > LONGEST_LOOK) log.warn('the guard is stuck: the service manager ends this agent', { milliseconds: silence })
      else await supervisor.alive().catch((error: unknown) => log.warn('service manager not told', { error: String(error) }))
      await clock.sleep(supervisor.interval, signal)
    }
  }
}
