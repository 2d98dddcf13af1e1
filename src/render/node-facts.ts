import type { CgroupVersion } from '../protocol/cgroup-version.ts'

import type { Capacity } from './node-capacity.ts'

/** What rendering may know of a node. Everything else about it cannot change what it is to become. */
export interface NodeFacts extends Capacity {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** `amd64`, `arm64`, as status.nodeInfo says. */
  readonly arch: string
  readonly osImage: string
  /** The first address of type InternalIP; undefined until the kubelet reported one. */
  readonly internalIP?: string | undefined
}

export interface PlannedNode extends NodeFacts {
  /** What runs on it now, where that is known. */
  readonly kubeletVersion?: string | undefined
  /** Of its control groups, where its agent said it. */
  readonly cgroup?: CgroupVersion | undefined
}
