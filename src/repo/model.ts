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
  /** What is in encrypted files. Absent where nobody has the key: what depends on it is then known by its encrypted form alone. */
  readonly secrets?: OpenSecrets
}

/** Encrypted files of one repository, decrypted. */
export interface OpenSecrets {
  /** @throws {RangeError} when nothing was decrypted for it */
  contentOf(source: SecretSource): Uint8Array
  /** Tells whether two contents are the same to whoever sees both, and nothing else: keyed with what only the controller has. */
  hashOf(text: string): string
}
