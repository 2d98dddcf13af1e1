import type { GatePolicy, ProofPolicy, RolloutPolicy, Share, WavePolicy } from '../../../src/rollout/model/policy.ts'
import { minute } from './instants.ts'

type ShareText = number | `${number}%`

export interface PolicyOptions {
  readonly waves?: readonly WavePolicy[]
  readonly maxUnavailable?: ShareText
  readonly maxFailures?: ShareText
  readonly onFailure?: RolloutPolicy['onFailure']
  readonly drain?: RolloutPolicy['drain']['mode'] | Partial<RolloutPolicy['drain']>
  readonly zones?: RolloutPolicy['zones']
  readonly cordoned?: RolloutPolicy['cordoned']
  /** Absent: no pod proves a node. */
  readonly proof?: Partial<ProofPolicy>
  readonly applyTimeout?: number
  readonly agentTimeout?: number
  readonly reboot?: RolloutPolicy['reboot']
  readonly windows?: RolloutPolicy['windows']
  readonly dependsOn?: readonly string[]
  readonly rollbackOutsideWindows?: boolean
  readonly gates?: readonly GatePolicy[]
}

export function policyOf(options: PolicyOptions): RolloutPolicy {
  return {
    waves: options.waves ?? [],
    ...(options.gates && { gates: options.gates }),
    maxUnavailable: shareOf(options.maxUnavailable ?? '100%'),
    maxFailures: shareOf(options.maxFailures ?? 0),
    onFailure: options.onFailure ?? 'Rollback',
    drain: {
      mode: 'Auto',
      timeout: 15 * minute,
      onTimeout: 'Wait',
      deleteEmptyDirData: false,
      force: false,
      ...(typeof options.drain === 'string' ? { mode: options.drain } : options.drain),
    },
    ...(options.proof && { proof: { mode: 'Auto', timeout: 2 * minute, ...options.proof } }),
    zones: options.zones ?? 'Any',
    cordoned: options.cordoned ?? 'Skip',
    applyTimeout: options.applyTimeout ?? 15 * minute,
    ...(options.agentTimeout !== undefined && { agentTimeout: options.agentTimeout }),
    ...(options.reboot && { reboot: options.reboot }),
    windows: options.windows ?? [],
    dependsOn: options.dependsOn ?? [],
    rollbackOutsideWindows: options.rollbackOutsideWindows ?? true,
  }
}

export function shareOf(text: ShareText): Share {
  return typeof text === 'number' ? { count: text } : { percent: Number.parseFloat(text) }
}

export function aWave(
  name: string,
  nodes: ShareText | Readonly<Record<string, string>>,
  more: Partial<WavePolicy> = {},
): WavePolicy {
  const size = typeof nodes === 'object' ? { matchLabels: nodes } : shareOf(nodes)
  return { name, nodes: size, soak: 0, manual: false, ...more }
}

export function aGate(name: string, more: Partial<GatePolicy> = {}): GatePolicy {
  const check = { kind: 'nodeConditions', require: [], forbid: ['DiskPressure'] } as const
  return { name, timeout: 5 * minute, interval: minute / 2, check, ...more }
}
