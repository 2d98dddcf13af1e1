import type { ClusterSpec } from './schema/cluster.ts'
import type { FlagSetSpec } from './schema/flag-set.ts'
import type { FleetSpec } from './schema/fleet.ts'
import type { HostProfileSpec, SecretSource } from './schema/host-profile.ts'
import type { KubeletConfigSpec } from './schema/kubelet-config.ts'
import type { KubeletReleaseSpec } from './schema/kubelet-release.ts'
import type { NodeOverrideSpec } from './schema/node-override.ts'
import type { NodePoolSpec } from './schema/node-pool.ts'

/** A place in the repository; line and column count from 1. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Where the values of a document's spec stand. */
export interface SourceMap {
  /** @param path within the spec, such as `['kubelet', 'flagSets', 0]`. @returns the nearest parent's place when the path is not there. */
  where(path: readonly (string | number)[]): Location
}

export interface Doc<Spec> {
  readonly kind: string
  readonly name: string
  readonly spec: Spec
  readonly source: SourceMap
}

/** A whole repository, valid: every name in it leads to a document. */
export interface FleetModel {
  /** The cluster that it was read for; absent: the repository is for one. */
  readonly cluster?: Doc<ClusterSpec>
  /** Files of the repository that the documents are in. */
  readonly sources: ReadonlySet<string>
  readonly fleet: Doc<FleetSpec>
  readonly pools: ReadonlyMap<string, Doc<NodePoolSpec>>
  readonly flagSets: ReadonlyMap<string, Doc<FlagSetSpec>>
  readonly kubeletConfigs: ReadonlyMap<string, Doc<KubeletConfigSpec>>
  readonly releases: ReadonlyMap<string, Doc<KubeletReleaseSpec>>
  readonly hostProfiles: ReadonlyMap<string, Doc<HostProfileSpec>>
  /** By name, so that the order of files does not matter. */
  readonly overrides: readonly Doc<NodeOverrideSpec>[]
  /** Files of the repository that `files[].from` and `contentFrom.sopsFile` name, by path. */
  readonly attachments: ReadonlyMap<string, Uint8Array>
  /** Absent where nobody may read them: what depends on them is then known by its encrypted form, or its reference, alone. */
  readonly secrets?: OpenSecrets
}

/** The secrets of one revision: encrypted files, decrypted, and values of Secrets of the cluster. */
export interface OpenSecrets {
  /** @throws {RangeError} when nothing is open for it */
  contentOf(source: SecretSource): Uint8Array
  /** Tells whether two contents at one path are the same to whoever sees both, and nothing else: keyed with what only the controller has. */
  hashOf(source: SecretSource, path: string): string
}
