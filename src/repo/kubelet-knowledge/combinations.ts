import { readGoDuration } from './go-duration.ts'
import { type Knowledge, knowledgeOf } from './knowledge.ts'

/** Values that a kubelet takes one by one and refuses together. Each was compared with the kubelet's own verdicts: see docs/testing.md. */
interface Combination {
  /** Paths of fields, and what each is when nobody says. */
  readonly of: Readonly<Record<string, unknown>>
  readonly refuses: (...values: readonly unknown[]) => boolean
  readonly message: string
  readonly remedy: string
}

const GATE = 'featureGates.'
const time = (value: unknown): number => (typeof value === 'string' ? (readGoDuration(value) ?? 0) : 0)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
const enforces = (value: unknown, ...names: readonly string[]): boolean => names.some((name) => list(value).includes(name))

const COMBINATIONS: readonly Combination[] = [
  {
    of: { imageGCLowThresholdPercent: 80, imageGCHighThresholdPercent: 85 },
    refuses: (low, high) => Number(low) >= Number(high),
    message: 'imageGCLowThresholdPercent must be below imageGCHighThresholdPercent',
    remedy: 'set both',
  },
  {
    of: { imageMaximumGCAge: '0s', imageMinimumGCAge: '2m' },
    refuses: (most, least) => time(most) > 0 && time(most) <= (time(least) || 120_000),
    message: 'imageMaximumGCAge must be above imageMinimumGCAge',
    remedy: 'raise imageMaximumGCAge, or set it to 0s',
  },
  {
    of: { maxParallelImagePulls: null, serializeImagePulls: false },
    refuses: (pulls, serial) => Number(pulls) > 1 && serial === true,
    message: 'maxParallelImagePulls above 1 needs serializeImagePulls: false',
    remedy: 'set serializeImagePulls: false, or take it out',
  },
  {
    of: { systemCgroups: '', cgroupRoot: '' },
    refuses: (system, root) => isSet(system) && !isSet(root),
    message: 'systemCgroups needs cgroupRoot',
    remedy: 'set cgroupRoot: /',
  },
  {
    of: { shutdownGracePeriodCriticalPods: '0s', shutdownGracePeriod: '0s' },
    refuses: (critical, all) => time(critical) > time(all),
    message: 'shutdownGracePeriodCriticalPods must not be above shutdownGracePeriod, of which it is a part',
    remedy: 'raise shutdownGracePeriod',
  },
  {
    of: { shutdownGracePeriodByPodPriority: null, shutdownGracePeriod: '0s', shutdownGracePeriodCriticalPods: '0s' },
    refuses: (byPriority, all, critical) => list(byPriority).length > 0 && time(all) + time(critical) > 0,
    message: 'shutdownGracePeriodByPodPriority and shutdownGracePeriod exclude each other',
    remedy: 'set one of them',
  },
  {
    of: { enforceNodeAllocatable: ['pods'], systemReservedCgroup: '' },
    refuses: (names, cgroup) => enforces(names, 'system-reserved', 'system-reserved-compressible') && !isSet(cgroup),
    message: 'enforceNodeAllocatable with system-reserved needs systemReservedCgroup',
    remedy: 'set systemReservedCgroup, or take it out of enforceNodeAllocatable',
  },
  {
    of: { enforceNodeAllocatable: ['pods'], kubeReservedCgroup: '' },
    refuses: (names, cgroup) => enforces(names, 'kube-reserved', 'kube-reserved-compressible') && !isSet(cgroup),
    message: 'enforceNodeAllocatable with kube-reserved needs kubeReservedCgroup',
    remedy: 'set kubeReservedCgroup, or take it out of enforceNodeAllocatable',
  },
  {
    of: { enforceNodeAllocatable: ['pods'] },
    refuses: (names) =>
      new Set(list(names)).size < list(names).length ||
      (enforces(names, 'none') && list(names).length > 1) ||
      ['system-reserved', 'kube-reserved'].some((name) => enforces(names, name) && enforces(names, `${name}-compressible`)),
    message: 'enforceNodeAllocatable must name each once, "none" alone, and a reservation either whole or compressible',
    remedy: 'correct the list',
  },
  {
    of: { cgroupsPerQOS: true, enforceNodeAllocatable: ['pods'] },
    refuses: (perQos, names) => perQos === false && list(names).some((name) => name !== 'none'),
    message: 'cgroupsPerQOS: false needs enforceNodeAllocatable: [none]',
    remedy: 'set enforceNodeAllocatable: [none]',
  },
  {
    of: { reservedSystemCPUs: '', systemReservedCgroup: '', kubeReservedCgroup: '' },
    refuses: (cpus, system, kube) => isSet(cpus) && (isSet(system) || isSet(kube)),
    message: 'reservedSystemCPUs excludes systemReservedCgroup and kubeReservedCgroup',
    remedy: 'set either',
  },
  {
    of: { enableSystemLogQuery: false, enableSystemLogHandler: true },
    refuses: (query, handler) => query === true && handler === false,
    message: 'enableSystemLogQuery needs enableSystemLogHandler',
    remedy: 'set enableSystemLogHandler: true',
  },
  {
    of: { 'logging.vmodule': null, 'logging.format': 'text' },
    refuses: (modules, format) => list(modules).length > 0 && isSet(format) && format !== 'text',
    message: 'logging.vmodule needs logging.format: text',
    remedy: 'take logging.vmodule out',
  },
  {
    of: { evictionSoft: null, evictionSoftGracePeriod: null },
    refuses: (soft, grace) => Object.keys(soft ?? {}).some((signal) => !Object.hasOwn(grace ?? {}, signal)),
    message: 'evictionSoft needs an evictionSoftGracePeriod for each of its signals',
    remedy: 'set evictionSoftGracePeriod, such as {memory.available: 1m30s}',
  },
  needs('KubeletCrashLoopBackOffMax', 'crashLoopBackOff.maxContainerRestartPeriod', isSet),
  needs('CustomCPUCFSQuotaPeriod', 'cpuCFSQuotaPeriod', (value) => isSet(value) && time(value) !== 100),
  needs('NodeLogQuery', 'enableSystemLogQuery', (value) => value === true),
  needs('ImageMaximumGCAge', 'imageMaximumGCAge', (value) => time(value) > 0),
  needs('NodeSwap', 'memorySwap.swapBehavior', isSet),
  needs('KubeletEnsureSecretPulledImages', 'imagePullCredentialsVerificationPolicy', isSet),
  needs('MemoryQoS', 'memoryReservationPolicy', (value) => value === 'TieredReservation'),
  needs('GracefulNodeShutdownBasedOnPodPriority', 'shutdownGracePeriodByPodPriority', (value) => list(value).length > 0),
  needs('GracefulNodeShutdown', 'shutdownGracePeriod', (value) => time(value) > 0),
  needs('GracefulNodeShutdown', 'shutdownGracePeriodCriticalPods', (value) => time(value) > 0),
  needs('LoggingBetaOptions', 'logging.format', (value) => value === 'json'),
  needs('LoggingAlphaOptions', 'logging.options.json.splitStream', (value) => value === true),
  needs('LoggingAlphaOptions', 'logging.options.text.splitStream', (value) => value === true),
]

function needs(gate: string, field: string, uses: (value: unknown) => boolean): Combination {
  return {
    of: { [field]: undefined, [`${GATE}${gate}`]: undefined },
    refuses: (value, enabled) => uses(value) && enabled === false,
    message: `${field} needs the feature gate ${gate}`,
    remedy: `set featureGates: {${gate}: true}, or take ${field} out`,
  }
}

/** Some gates stand for all of a stage. */
const WHOLE_STAGES: Readonly<Record<string, string>> = { ALPHA: 'AllAlpha', BETA: 'AllBeta' }

function gateValue(name: string, stated: Settings['stated'], gates: Knowledge['gates']): unknown {
  const gate = gates.get(name)
  const whole = gate === undefined || gate.locked ? undefined : WHOLE_STAGES[gate.stage]
  return stated.get(`${GATE}${name}`) ?? (whole === undefined ? undefined : stated.get(`${GATE}${whole}`)) ?? gate?.value
}

function gateCombinations(gates: Knowledge['gates']): Combination[] {
  return [...gates].flatMap(([gate, { needs: others }]) =>
    others.map((other) => ({
      of: { [`${GATE}${gate}`]: undefined, [`${GATE}${other}`]: undefined },
      refuses: (enabled, its) => enabled === true && its === false,
      message: `feature gate ${gate} needs ${other}`,
      remedy: `set both to the same value`,
    })),
  )
}

/** What is said of a kubelet's configuration, by path of the field. */
export interface Settings {
  readonly stated: ReadonlyMap<string, unknown>
  /** The host may have a file of its own beneath, which says what nobody states. */
  readonly hasBase: boolean
}

export interface RefusedCombination {
  /** Of those that are stated. */
  readonly fields: readonly string[]
  readonly message: string
  readonly remedy: string
  /** Otherwise it depends on a file of the host. */
  readonly certain: boolean
}

export function refusedCombinations({ stated, hasBase }: Settings, version: string | undefined): RefusedCombination[] {
  const { gates } = knowledgeOf(version)
  return [...COMBINATIONS, ...gateCombinations(gates)].flatMap(({ of, refuses, message, remedy }) => {
    const paths = Object.keys(of)
    const fields = paths.filter((path) => stated.has(path))
    const settingOf = (path: string) =>
      path.startsWith(GATE) ? gateValue(path.slice(GATE.length), stated, gates) : (stated.get(path) ?? of[path])
    if (fields.length === 0 || !refuses(...paths.map(settingOf))) return []
    return [{ fields, message, remedy, certain: !hasBase || fields.length === paths.length }]
  })
}
