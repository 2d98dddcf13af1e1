import type { Json } from '../protocol/digest.ts'
import type { HostInventory } from '../protocol/host-inventory.ts'
import type { FlagValue } from '../repo/schema/common.ts'

export type JsonObject = { readonly [key: string]: Json }

/** What the API server says of a node. */
export interface ApiNodeFacts {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly { readonly key: string; readonly value?: string | undefined; readonly effect: string }[]
  /** `1.36.3` */
  readonly version: string
  readonly internalIP: string | undefined
  /** The configuration that its kubelet runs with, defaults and flags included. */
  readonly configz?: JsonObject | undefined
}

/** A node that is imported: what the API server says, and what its host says where somebody asked it. */
export interface ImportSubject {
  readonly node: ApiNodeFacts
  readonly inventory?: HostInventory | undefined
}

/** Something that the repository does not say, why, and what a person can do. It becomes a comment. */
export interface Remark {
  /** `kubelet`: it stands in the pool; `host`: in its profile. */
  readonly about: 'kubelet' | 'host'
  readonly what: string
  readonly why: string
  readonly remedy: string
}

export interface FileContent {
  readonly content: string
  readonly mode?: string
  readonly owner?: string
  readonly group?: string
}

export interface UnitContent {
  readonly dropIns?: Readonly<Record<string, string>>
  readonly enabled?: true
  readonly state?: 'running'
  readonly restartOn?: readonly string[]
}

/** What the repository says of a host around its kubelet, by the names of its parts. */
export interface HostContent {
  readonly files: Readonly<Record<string, FileContent>>
  readonly units: Readonly<Record<string, UnitContent>>
  /** Versions of those that are held. */
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
  readonly time: { readonly zone?: string }
  /** Fields that are one value. */
  readonly settings: { readonly swap?: 'off' }
}

export interface PackagedKubelet {
  readonly manager: 'apt' | 'dnf' | 'zypper'
  readonly version: string
}

/** What the repository says of one node, such that its agent finds nothing to change. */
export interface NodeDescription {
  readonly node: ApiNodeFacts
  readonly layout: 'kubeadm' | 'env' | 'managed' | undefined
  /** Undefined: nodewave is not to manage it. */
  readonly version: string | undefined
  readonly binary: { readonly arch: string; readonly sha256: string } | undefined
  /** Whose package the kubelet is, and the pattern of its versions: "{{version}}-1.1". */
  readonly packaged?: PackagedKubelet | undefined
  readonly flags: Readonly<Record<string, FlagValue>>
  readonly config: JsonObject
  readonly host: HostContent
  readonly remarks: readonly Remark[]
}

export function remark(
  about: Remark['about'],
  what: string,
  { why, remedy }: { readonly why: string; readonly remedy: string },
): Remark {
  return { about, what, why, remedy }
}
