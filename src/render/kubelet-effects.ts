import type { Disruption } from '../protocol/desired-config.ts'
import type { Json } from '../protocol/digest.ts'

/** What changing a field of KubeletConfiguration does to a node that has pods, beyond the restart that every change needs. */
export interface KubeletEffect {
  readonly disruption: Disruption
  readonly because: string
  /** Where that is written. */
  readonly source: string
}

/** The comments of the fields in `KubeletConfiguration`, which said what a change on a live node does; later releases lost them. */
const TYPES = 'k8s.io/kubelet v0.21.0, config/v1beta1/types.go'
const POLICIES = 'kubernetes.io, Control CPU Management Policies: changing the policy; the Memory Manager keeps such a state too'
const TOPOLOGY = 'kubernetes.io, Control Topology Management Policies: a policy acts when the kubelet admits a pod'
const RESERVED = 'kubernetes.io, Reserve Compute Resources for System Daemons'
const REGISTRATION = 'kubernetes.io, Node self-registration: labels and taints of a Node that is there are not changed'

const CGROUPS = { disruption: 'reboot', because: 'pods keep the cgroups they were started in', source: TYPES } as const
const RESOURCE_MANAGER = {
  disruption: 'drain',
  because: 'running pods keep the CPUs and memory of the old policy',
  source: POLICIES,
} as const
const OLD_PODS_KEEP_IT = { disruption: 'drain', because: 'running pods keep the old value', source: TYPES } as const
const MAY_EVICT = { disruption: 'restart', because: 'pods beyond the new limit are evicted or refused', source: TYPES } as const
const RESERVES = { ...MAY_EVICT, source: RESERVED } as const
const MAY_NOT_START = {
  disruption: 'restart',
  because: 'the kubelet does not start on a host that is set up otherwise',
  source: TYPES,
} as const
const READ_AT_START = { disruption: 'restart', because: 'the kubelet reads it when it starts', source: TYPES } as const
const AT_REGISTRATION = {
  disruption: 'restart',
  because: 'it acts only when the node first registers',
  source: REGISTRATION,
} as const

/** By the documentation of the fields in k8s.io/kubelet config/v1beta1. A field that is not here needs a restart and nothing else. */
const EFFECTS: Readonly<Record<string, KubeletEffect>> = {
  cgroupDriver: CGROUPS,
  cgroupRoot: CGROUPS,
  cgroupsPerQOS: CGROUPS,
  kubeletCgroups: CGROUPS,
  systemCgroups: CGROUPS,
  systemReservedCgroup: CGROUPS,
  kubeReservedCgroup: CGROUPS,
  qosReserved: CGROUPS,
  cpuManagerPolicy: RESOURCE_MANAGER,
  memoryManagerPolicy: RESOURCE_MANAGER,
  topologyManagerPolicy: { disruption: 'drain', because: 'running pods keep the place of the old policy', source: TOPOLOGY },
  featureGates: { disruption: 'reboot', because: 'features may leave behind what only a reboot clears', source: TYPES },
  clusterDNS: OLD_PODS_KEEP_IT,
  resolvConf: OLD_PODS_KEEP_IT,
  enableControllerAttachDetach: { disruption: 'drain', because: 'attached volumes change hands', source: TYPES },
  maxPods: MAY_EVICT,
  podsPerCore: MAY_EVICT,
  podPidsLimit: MAY_EVICT,
  evictionHard: MAY_EVICT,
  systemReserved: RESERVES,
  kubeReserved: RESERVES,
  reservedSystemCPUs: RESERVES,
  reservedMemory: RESERVES,
  staticPodPath: { disruption: 'restart', because: 'static pods of the old path are stopped', source: TYPES },
  cpuCFSQuotaPeriod: { disruption: 'restart', because: 'running containers keep the old period', source: TYPES },
  rotateCertificates: { disruption: 'restart', because: 'without rotation the client certificate runs out', source: TYPES },
  protectKernelDefaults: MAY_NOT_START,
  failSwapOn: MAY_NOT_START,
  failCgroupV1: MAY_NOT_START,
  registerWithTaints: AT_REGISTRATION,
  nodeLabels: AT_REGISTRATION,
}

/** Limits of which only a lower one disturbs pods, with the value that stands for no limit. */
const LIMITS: Readonly<Record<string, number | undefined>> = { maxpods: undefined, podspercore: 0, podpidslimit: -1 }

const BY_LETTERS = new Map(Object.entries(EFFECTS).map(([field, effect]) => [lettersOf(field), effect]))

/** @param name a field of KubeletConfiguration, or the flag that sets the same thing: `clusterDNS`, `cluster-dns`. */
export function kubeletEffect(
  name: string,
  change?: { readonly from: Json | undefined; readonly to: Json | undefined },
): KubeletEffect {
  const letters = lettersOf(name)
  const isRaised =
    change !== undefined && Object.hasOwn(LIMITS, letters) && limit(change.to, letters) > limit(change.from, letters)
  return (isRaised ? undefined : BY_LETTERS.get(letters)) ?? READ_AT_START
}

/** Of a field or of a flag, whose values are text; NaN, which is neither above nor below anything, when it is not stated. */
function limit(value: Json | undefined, letters: string): number {
  const number = Number(value ?? Number.NaN)
  return number === LIMITS[letters] ? Number.POSITIVE_INFINITY : number
}

/** What the name of a field and that of its flag share. */
export function lettersOf(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}
