import type { CgroupVersion } from '../../protocol/cgroup-version.ts'
import type { PackageFormat } from '../package-manager.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { Answer, FileStat, ServiceState } from '../ports.ts'

/** Something that was looked for: what it is, or why that could not be found out. */
export type Looked<T> = { readonly value: T } | { readonly error: string }

/** Where a kubelet listens. */
export interface KubeletPort {
  /** Of the KubeletConfiguration. */
  readonly field: 'port' | 'healthzPort'
  readonly address: string
  readonly port: number
}

/** A socket of TCP that takes connections. */
export interface Listener {
  readonly address: string
  readonly port: number
  /** Undefined when it cannot be seen. */
  readonly process: { readonly pid: number; readonly name: string } | undefined
}

/** What the doctor looks at. Nothing of it changes anything on the host. */
export interface Facts {
  readonly policy: Looked<HostPolicy>
  /** Of the steps of the policy, those that cannot be run. */
  readonly missingPrograms: readonly string[]
  readonly isRoot: boolean
  readonly cgroup: CgroupVersion
  /** As the kubelet's configuration and flags have it; undefined: they do not. */
  readonly failCgroupV1: boolean | undefined
  /** Devices and files that are swapped to. */
  readonly swaps: readonly string[]
  /** What the machine says of its clock: `yes`, `no`. */
  readonly clockSynchronized: Looked<string>
  readonly stateDirectory: string
  readonly state: {
    /** Of its file system. */
    readonly freeBytes: Looked<number>
    /** Only root may look into it. */
    readonly inside: Looked<{
      readonly stat: FileStat | undefined
      readonly hasOpenJournal: boolean
      readonly isUnclean: boolean
    }>
  }
  readonly packages: Looked<{
    readonly isInterrupted: boolean
    /** Who has the lock of the database. */
    readonly holder: string | undefined
    readonly format: PackageFormat
  }>
  readonly kubeconfig: { readonly path: string; readonly stat: FileStat | undefined; readonly problem?: string }
  readonly server: { readonly host: string; readonly addresses: Looked<readonly string[]>; readonly node: Looked<string> }
  readonly units: readonly { readonly name: string; readonly state: Looked<ServiceState> }[]
  readonly kubelet: Answer
  /** By its configuration file, and by its flags while it runs. */
  readonly kubeletPorts: readonly KubeletPort[]
  /** On those ports. */
  readonly listeners: Looked<readonly Listener[]>
}
