import type { DesiredConfig } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import type { DriftRules } from '../../protocol/drift-policy.ts'
import type { NodeSettings } from '../../protocol/node-settings.ts'
import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import type { BlastLimits } from '../../render/blast-radius.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import type { Payload } from '../../render/payload.ts'
import type { Location } from '../../repo/model.ts'
import type { DisruptionRules } from '../../repo/rollout-settings.ts'
import type { SecretRef } from '../../repo/secret-ref.ts'
import type { FleetPolicy } from '../../rollout/decide-fleet.ts'
import type { RolloutPolicy } from '../../rollout/model/policy.ts'
import type { PolicyPlaces } from '../../rollout/model/snapshot.ts'
import type { CalculatedFrom } from '../cache/rendered-from.ts'

/** Loads and checks the documents of a commit. Never throws for what stands in them. */
export type CompileNow = (snapshot: RepoSnapshot) => CompiledFleet
/** The same where secrets may have to be decrypted. */
export type Compile = (snapshot: RepoSnapshot) => CompiledFleet | Promise<CompiledFleet>

/** A value of a Secret that a commit asks for, and where. */
export interface PlacedRef extends SecretRef {
  readonly where: Location
}

export interface CompiledFleet {
  /** With contents of Secrets, the revision that they make; see revision-id.ts. */
  readonly commit: string
  readonly author: string
  readonly subject: string
  /** One line each, with file:line:column. Any: the commit is not accepted, and `pools` is empty. */
  readonly problems: readonly string[]
  readonly pools: ReadonlyMap<string, CompiledPool>
  readonly policy: FleetPolicy
  /** Absent: nobody but the controller assigns. */
  readonly byHand?: 'Allow'
  /** What a commit that follows this one may do at once. */
  readonly blastRadius: BlastLimits
  /** Where a field of a pool stands, or of the Fleet: `pools/workers.yaml:12`. Absent: nobody knows. */
  placeOf?(field: string, pool?: string): string
  /** Remembered by the object. */
  ownerOf(facts: NodeFacts): Ownership
  /** All that is needed to compile it again. */
  readonly files: RepoSnapshot['files']
  /** Values of Secrets that hosts get; absent: none. Those that the snapshot lacks are in `problems`. */
  readonly secretRefs?: readonly PlacedRef[]
  /** How many accepted revisions are kept besides targets and stable ones. */
  readonly historyLimit: number
}

/** A node that several pools claim belongs to none of them. */
export type Ownership =
  | { readonly kind: 'owned'; readonly pool: string }
  | { readonly kind: 'contested'; readonly pools: readonly string[]; readonly message: string }
  | { readonly kind: 'unowned' }

/** Settings of Node objects, and what happens to changes of others. */
export interface NodeObject {
  readonly settings: NodeSettings
  readonly drift: DriftRules
}

/** One pool at one commit. */
export interface CompiledPool {
  readonly name: string
  /** What the NodePool object mirrors: plain JSON. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly fingerprint: string
  /** Numbers of it depend on what machines have. */
  readonly readsCapacity?: true
  readonly policy: RolloutPolicy
  readonly disruption: DisruptionRules
  /** Where fields of the policy stand. */
  readonly places?: PolicyPlaces
  /** What its Node objects have besides what is ours; absent: nothing. */
  readonly nodeObject?: NodeObject
  render(facts: NodeFacts): Rendered
}

export type Rendered = RenderedConfig | { readonly kind: 'problem'; readonly message: string }

export interface RenderedConfig {
  readonly kind: 'config'
  readonly digest: string
  readonly version?: string
  readonly content: NodeContent
  /** The annotation without REVISION, GRANT and ASSIGNED, which come with the assignment. */
  readonly desired: DesiredConfig
  readonly payloads: readonly Payload[]
  /** Where an assignment of it says what it was calculated from. */
  readonly from?: CalculatedFrom
}
