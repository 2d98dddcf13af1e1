import tables from '../../../src/repo/kubelet-knowledge/generated/knowledge.json' with { type: 'json' }

/** A configuration with flags as a kubelet would be started with them. */
export interface Question {
  readonly config?: Readonly<Record<string, unknown>>
  readonly flags?: Readonly<Record<string, string | number | boolean>>
}

const DURATIONS = [
  '0s',
  '1ns',
  '1ms',
  '500ms',
  '999ms',
  '1s',
  '2s',
  '2999ms',
  '3s',
  '1m',
  '2m',
  '2m1s',
  '300s',
  '301s',
  '24h',
  '-1s',
  '10',
  'ten',
]
const DURATION_FIELDS = [
  'containerLogMonitorInterval',
  'cpuCFSQuotaPeriod',
  'imageMaximumGCAge',
  'imageMinimumGCAge',
  'nodeStatusReportFrequency',
  'shutdownGracePeriod',
  'syncFrequency',
]
const INT32 = [
  -2147483649, -2147483648, -1001, -1000, -2, -1, 0, 1, 2, 31, 32, 99, 100, 101, 1000, 1001, 65535, 65536, 2147483647, 2147483648,
]
const WHOLE_FIELDS = tables.fields
  .filter(([owner, , type]) => owner === 'KubeletConfiguration' && type === 'int')
  .map(([, name]) => String(name))
const WORD_FIELDS = [
  'hairpinMode',
  'topologyManagerPolicy',
  'topologyManagerScope',
  'imagePullCredentialsVerificationPolicy',
  'memoryReservationPolicy',
]
const WORDS = [
  '',
  'none',
  'None',
  'hairpin-veth',
  'promiscuous-bridge',
  'best-effort',
  'restricted',
  'single-numa-node',
  'pod',
  'container',
  'NeverVerify',
  'AlwaysVerify',
  'TieredReservation',
  'nonsense',
]

const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }

/** One by one, at and beside each border. */
const SINGLE: readonly Question[] = [
  ...WHOLE_FIELDS.flatMap((name) => INT32.map((value) => ({ config: { [name]: value } }))),
  ...DURATION_FIELDS.flatMap((name) => DURATIONS.map((value) => ({ config: { [name]: value } }))),
  ...WORD_FIELDS.flatMap((name) => WORDS.map((value) => ({ config: { [name]: value } }))),
  ...['', 'NoSwap', 'LimitedSwap', 'UnlimitedSwap'].map((swapBehavior) => ({ config: { memorySwap: { swapBehavior } } })),
  ...['text', 'json', 'xml', ''].map((format) => ({ config: { logging: { format } } })),
  ...[0, 1, -1, 2147483647, 2147483648].map((verbosity) => ({ config: { logging: { verbosity } } })),
  ...['5s', '0s', '-1s', 0, 5].map((flushFrequency) => ({ config: { logging: { flushFrequency } } })),
  ...[0, -1, 1000000, 1000001].map((samplingRatePerMillion) => ({ config: { tracing: { samplingRatePerMillion } } })),
  ...[0, 0.5, 1, 1.1, -0.1].map((memoryThrottlingFactor) => ({ config: { memoryThrottlingFactor } })),
  ...['/var/log/pods', '', 'logs', '/var//log', '/var/log/', '/var/../log', '/', '/lög'].map((podLogsDir) => ({
    config: { podLogsDir },
  })),
  ...['0-3', '0,2,4-6', '', 'a', '3-0', '1-', '0-3,', ' 1'].map((reservedSystemCPUs) => ({ config: { reservedSystemCPUs } })),
  ...[0, 1, 65535, 65536, 65537, 131072, 4294901760, 4294967296].map((idsPerPod) => ({
    config: { userNamespaces: { idsPerPod } },
  })),
  ...[true, false].flatMap((value) =>
    ['runOnce', 'enableSystemLogQuery', 'serverTLSBootstrap', 'cgroupsPerQOS'].map((name) => ({ config: { [name]: value } })),
  ),
  ...['1s', '300s', '301s', '999ms'].map((maxContainerRestartPeriod) => ({
    config: { featureGates: { KubeletCrashLoopBackOffMax: true }, crashLoopBackOff: { maxContainerRestartPeriod } },
  })),
  ...[
    TAINT,
    { key: 'dedicated', effect: 'NoExecute' },
    { key: 'dedicated', effect: 'PreferNoSchedule' },
    { ...TAINT, effect: 'Never' },
    { ...TAINT, effect: '' },
    { ...TAINT, key: '-' },
    { ...TAINT, key: 'a b' },
    { ...TAINT, value: 'a b' },
    { key: '', effect: 'NoSchedule' },
  ].map((taint) => ({ config: { registerWithTaints: [taint] } })),
  ...[['pods'], ['none'], [], ['pods', 'pods'], ['none', 'pods'], ['all']].map((enforceNodeAllocatable) => ({
    config: { enforceNodeAllocatable },
  })),
  ...[true, false].flatMap((value) =>
    ['NodeSwap', 'GracefulNodeShutdown', 'MemoryQoS', 'RotateKubeletServerCertificate', 'NoSuchGate', 'AllAlpha', 'AllBeta'].map(
      (name) => ({
        config: { featureGates: { [name]: value } },
      }),
    ),
  ),
  { config: { featureGates: { MemoryQoS: 'yes' } } },
  { config: { reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] } },
  { config: { reservedMemory: [{ numaNode: 0, limits: { memory: '0' } }] } },
  { config: { reservedMemory: [{ numaNode: 0, limits: { cpu: '1' } }] } },
  { config: { reservedMemory: [{ numaNode: 0, limits: { 'hugepages-2Mi': '4Mi' } }] } },
  {
    config: {
      reservedMemory: [
        { numaNode: 0, limits: { memory: '1Gi' } },
        { numaNode: 0, limits: { memory: '2Gi' } },
      ],
    },
  },
]

/** Values that each is taken alone, or with another. */
const TOGETHER: readonly Question[] = [
  ...[
    [50, 60],
    [60, 60],
    [90, undefined],
    [undefined, 70],
    [undefined, 80],
  ].map(([imageGCLowThresholdPercent, imageGCHighThresholdPercent]) => ({
    config: { imageGCLowThresholdPercent, imageGCHighThresholdPercent },
  })),
  { config: { imageMaximumGCAge: '1m' } },
  { config: { imageMaximumGCAge: '3m' } },
  { config: { imageMaximumGCAge: '3m', imageMinimumGCAge: '3m' } },
  { config: { maxParallelImagePulls: 5 } },
  { config: { maxParallelImagePulls: 5, serializeImagePulls: false } },
  { config: { maxParallelImagePulls: 1, serializeImagePulls: true } },
  { config: { systemCgroups: '/system' } },
  { config: { systemCgroups: '/system', cgroupRoot: '/' } },
  { config: { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' } },
  { config: { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '30s' } },
  { config: { shutdownGracePeriodCriticalPods: '10s' } },
  { config: { shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 10 }] } },
  { config: { shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 10 }], shutdownGracePeriod: '30s' } },
  ...['system-reserved', 'kube-reserved', 'system-reserved-compressible', 'kube-reserved-compressible'].flatMap((name) => [
    { config: { enforceNodeAllocatable: ['pods', name] } },
    { config: { enforceNodeAllocatable: ['pods', name], systemReservedCgroup: '/system', kubeReservedCgroup: '/kube' } },
  ]),
  { config: { enforceNodeAllocatable: ['system-reserved', 'system-reserved-compressible'], systemReservedCgroup: '/system' } },
  { config: { cgroupsPerQOS: false, enforceNodeAllocatable: ['none'] } },
  { config: { cgroupsPerQOS: false, enforceNodeAllocatable: [] } },
  { config: { reservedSystemCPUs: '0', systemReservedCgroup: '/system' } },
  { config: { enableSystemLogQuery: true, featureGates: { NodeLogQuery: true } } },
  { config: { enableSystemLogQuery: true, enableSystemLogHandler: false, featureGates: { NodeLogQuery: true } } },
  { config: { logging: { format: 'json', vmodule: [{ filePattern: 'a', verbosity: 1 }] } } },
  { config: { logging: { vmodule: [{ filePattern: 'a', verbosity: 1 }] } } },
  { config: { crashLoopBackOff: { maxContainerRestartPeriod: '60s' } } },
  { config: { cpuCFSQuotaPeriod: '50ms', featureGates: { CustomCPUCFSQuotaPeriod: true } } },
  { config: { imagePullCredentialsVerificationPolicy: 'NeverVerify', featureGates: { KubeletEnsureSecretPulledImages: false } } },
]

const FLAGS: readonly Question[] = [
  ...INT32.flatMap((value) =>
    ['max-pods', 'event-qps', 'oom-score-adj', 'healthz-port', 'read-only-port'].map((name) => ({ flags: { [name]: value } })),
  ),
  ...WORDS.flatMap((value) =>
    value === ''
      ? []
      : ['hairpin-mode', 'topology-manager-policy', 'topology-manager-scope'].map((name) => ({ flags: { [name]: value } })),
  ),
  ...[
    'NodeSwap=true',
    'NodeSwap=false',
    'NoSuchGate=true',
    'MemoryQoS=maybe',
    'MemoryQoS=false',
    'AllAlpha=false',
    'MemoryQoS',
  ].map((value) => ({ flags: { 'feature-gates': value } })),
  ...[
    'a=b',
    'a=b,c=d',
    'a b=c',
    'a=b c',
    'node.kubernetes.io/pool=gpu',
    'x.node.kubernetes.io/pool=gpu',
    'node-role.kubernetes.io/worker=',
    'kubernetes.io/os=linux',
    'kubernetes.io/pool=gpu',
    'example.k8s.io/pool=gpu',
    'topology.kubernetes.io/zone=a',
    'xkubernetes.io/pool=gpu',
  ].map((value) => ({ flags: { 'node-labels': value } })),
  ...['pods', 'none', 'none,pods', 'all'].map((value) => ({ flags: { 'enforce-node-allocatable': value } })),
  ...['50ms', '100ms', '0s', '2s'].map((value) => ({ flags: { 'cpu-cfs-quota-period': value } })),
  { flags: { v: 4 } },
  { flags: { v: -1 } },
]

/** Thresholds are judged after the rest, and not every version's judge can be had. */
export const EVICTION: readonly Question[] = [
  ...['500Mi', '10%', '0%', '100%', '101%', '-1%', '0', '-5Mi', 'lots', '1.5Gi', '%', '5%%'].map((amount) => ({
    config: { evictionHard: { 'memory.available': amount } },
  })),
  ...[
    'memory.available',
    'nodefs.available',
    'nodefs.inodesFree',
    'imagefs.available',
    'imagefs.inodesFree',
    'pid.available',
    'memory.free',
  ].map((signal) => ({ config: { evictionHard: { [signal]: '10%' } } })),
  { config: { evictionSoft: { 'memory.available': '1Gi' } } },
  { config: { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '1m30s' } } },
  { config: { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '-1m' } } },
  { config: { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.free': '1m' } } },
  ...['memory.available<500Mi', 'memory.available<0', 'memory.free<5Mi', 'memory.available=500Mi'].map((value) => ({
    flags: { 'eviction-hard': value },
  })),
]

export const QUESTIONS: readonly Question[] = [...SINGLE, ...TOGETHER, ...FLAGS]

/** @param run gives a program's answers to its input, a line each. @returns why each question is refused, or an empty text */
export function ask(questions: readonly Question[], run: (input: string) => string): readonly string[] {
  const lines = questions.map(({ config = {}, flags = {} }) =>
    JSON.stringify({ config, flags: Object.entries(flags).map(([name, value]) => `--${name}=${value}`) }),
  )
  return run(`${lines.join('\n')}\n`)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string)
}
