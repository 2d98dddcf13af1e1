import type { DesiredConfig, Disruption } from '../protocol/desired-config.ts'

/** How long agents are taken to need, in milliseconds. */
export interface AgentTimes {
  readonly byDisruption: Readonly<Record<Disruption, number>>
  /** On top, where the kubelet's version changes: it is fetched first. */
  readonly download: number
  /** From an eviction until the pod has ended, and from then until it serves somewhere else. */
  readonly podStop: number
  readonly podStart: number
  /** Nodes that need so many times as long, by name. */
  readonly slow: ReadonlyMap<string, number>
}

const SECOND = 1000

/**
 * An agent watches a kubelet for three seconds after a restart, 16 where other units restart, too; the rest is an allowance for its start and the
 * way to and from the API server. Downloads, drains and reboots depend on the machines alone: these are guesses, to be replaced by what is measured there.
 */
export const DEFAULT_TIMES: AgentTimes = {
  byDisruption: { none: 2 * SECOND, restart: 10 * SECOND, drain: 10 * SECOND, reboot: 180 * SECOND },
  download: 30 * SECOND,
  podStop: 30 * SECOND,
  podStart: 30 * SECOND,
  slow: new Map(),
}

export function timeOf(times: AgentTimes) {
  return ({ node, version, desired }: { readonly node: string; readonly version: string; readonly desired: DesiredConfig }) => {
    const { KUBELET_VERSION, GRANT = 'restart' } = desired
    const fetching = KUBELET_VERSION !== undefined && KUBELET_VERSION.replace(/^v/, '') !== version ? times.download : 0
    return (times.byDisruption[GRANT] + fetching) * (times.slow.get(node) ?? 1)
  }
}
