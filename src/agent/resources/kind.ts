import type * as z from 'zod/mini'
import type { Disruption } from '../../protocol/desired-config.ts'
import type { StatePaths } from '../paths.ts'
import type { AgentPorts, HostFiles, ServiceManager } from '../ports.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import type { Claim, Managed } from '../state/managed.ts'

/** What kinds read and change. */
export type HostHands = Pick<
  AgentPorts,
  'files' | 'services' | 'clock' | 'kernel' | 'trustStore' | 'bootMenu' | 'packages' | 'accounts' | 'steps'
>

/** What kinds look with. Of units they see how those were when the look at all resources began. */
export type ObserveHands = Omit<HostHands, 'services'> & { readonly services: Pick<ServiceManager, 'show'> }

/** What proves a change: also what the API server shows. */
export type ProofHands = HostHands & Pick<AgentPorts, 'node'>

/** Files as a plan leaves them; undefined: one that goes. Those that are taken from another file of the host are not among them. */
export type UpcomingFiles = ReadonlyMap<string, Uint8Array | undefined>

export interface StagePlace {
  readonly ports: AgentPorts
  readonly paths: StatePaths
  /** Ends the staging when something newer was assigned. */
  readonly signal: AbortSignal
}

export interface StageContext extends StagePlace {
  /** Other changes of the plan, as far as a change depends on them before they are done. */
  readonly upcoming: UpcomingFiles
}

/**
 * A kind of thing on the host: everything that plan, journal, undo and drift need to know of it. They know no kind by name. A new kind is
 * one file with such an object, and one line in `kinds.ts`.
 *
 * Spec is what the thing should be, Actual what was found, Change what makes the one of the other, Undo what takes a change back, and
 * Base what the host had before nodewave managed the thing.
 */
export interface ResourceKind<Spec, Actual, Change, Undo, Base> {
  /** Stands in journals: never renamed. */
  readonly name: string
  /** Of the undo data in the journal. Raise it when an agent of today would misread what is written then. */
  readonly version: number
  /** The path or unit: no two resources of one target share it. */
  subject(spec: Spec): string
  /** Reads, and changes nothing. @throws {AgentError} when what is there cannot be managed. */
  observe(spec: Spec, host: ObserveHands): Promise<Actual>
  /** The unit that `observe` asks for: a look at many resources asks for all of their units at once. */
  unit?(spec: Spec): string
  /** Pure. @returns what makes the thing as specified; undefined when it is. */
  differ(spec: Spec, actual: Actual): Change | undefined
  /** Makes one change of several, for what has to be done at once. Default: each is a step of its own. */
  join?(changes: readonly Change[]): Change
  /** How much the change disturbs by itself; the plan adds restarts that follow from it. Default: none. */
  disruption?(change: Change, actual: Actual): Disruption
  /** Subjects that have to be read again by what reads them. Default: all of the change. */
  renews?(change: Change): readonly string[]
  /** How much it disturbs to make the thing again what it was proved to work with. Default: as the change itself. */
  repairDisruption?(change: Change): Disruption
  /** Brings what the change needs onto the host, and disturbs nothing. */
  stage?(change: Change, context: StageContext): Promise<void>
  /** What staging depended on: when it is another by the time that the change is to be done, that is staged again. Default: nothing. */
  stagedFor?(change: Change): string
  /** Idempotent: an agent that died in the middle may do it twice. */
  perform(change: Change, host: HostHands): Promise<void>
  readonly undo: UndoOf<Change, Undo>
  readonly baseline: BaselineOf<Spec, Base>
  /** Lower comes first, and is undone last. Default: 0. */
  order?(change: Change): number
  effects?(change: Change): Effects
  /** What has to happen before the change counts. The transaction is suspended until then, and resumed by the agent's next start. */
  awaits?(change: Change): Awaited | undefined
  readonly proof?: ProofOf<Change>
  /** What others set so that it wins when the host reads it next, as `file: name`. Reported as drift. */
  overridden?(spec: Spec, actual: Actual): readonly string[]
  /**
   * The spec for a thing that another kind of its collection managed until now: what is on the host is ours then, and what others wrote is in
   * the record of that kind. Default: the same spec.
   */
  over?(spec: Spec, record: object, files: HostFiles): Promise<Spec>
  /** Subjects whose change restarts this unit. */
  restartTriggers?(spec: Spec): readonly string[]
  /** The subject is a unit that has to run. Default: false. */
  mustRun?(spec: Spec): boolean
  /** The part of the host document that this kind reads. */
  readonly section?: Section
}

/** How a change is taken back. */
export interface UndoOf<Change, Undo> {
  /** `exact`: bit for bit. `best effort`: what matters. `none`: a person has to; `perform` then says so by throwing. */
  readonly fidelity: 'exact' | 'best effort' | 'none'
  /** Of the data in the journal; bytes are never in it, they are in a backup. */
  readonly schema: z.ZodMiniType<Undo>
  /** Keeps what the change replaces, and says what takes the change back. `backup` is a path for what has to be kept. */
  prepare(change: Change, options: { readonly host: HostHands; readonly backup: string }): Promise<Undo>
  /** Paths without which the undo could not be done: the change is not begun before they are there. */
  kept?(undo: Undo): readonly string[]
  /** Idempotent, and harmless when the change was never done. */
  perform(undo: Undo, host: HostHands): Promise<void>
  isUndone(undo: Undo, host: HostHands): Promise<boolean>
  /** Whether a thing found as it was before proves that an undo was begun. Not for what changes by itself. */
  readonly leavesTrace: boolean
  /** It needs what was put back to run again: undone after the restarts. Default: false. */
  readonly afterRestarts?: boolean
}

/** What a change has to show beside a healthy kubelet, also after a restart of the agent or of the machine. */
export interface ProofOf<Change> {
  /** Of the error when it complains. Default: HealthCheckFailed. */
  readonly reason?: string
  /** What the API server shows decides it: going back to what last worked, which the host alone proves, does without. Default: false. */
  readonly byNode?: boolean
  /** Plain JSON: it stands in the journal. */
  of(change: Change): unknown
  /** @param signal aborts when something newer was assigned, or the agent is to stop @returns what is wrong; undefined when the change has proved itself. */
  complaint(data: unknown, host: ProofHands, signal?: AbortSignal): Promise<string | undefined>
}

/** What a change has not shown. */
export interface Complaint {
  readonly reason: string
  readonly message: string
}

export type Awaited = 'boot' | { readonly agent: string }

/** What a host had before, and how it is given back. Kinds that manage the same things share a collection. */
export interface BaselineOf<Spec, Base> {
  /** Under this name the records stand in the index on disk: never renamed. */
  readonly collection: string
  readonly schema: z.ZodMiniType<Base>
  key(base: Base): string
  /** Reads the host as it is, and keeps what has to be kept. */
  capture(claim: Claim, context: CaptureContext): Promise<Base>
  /** The file of ours that the record points to. */
  content?(base: Base): KeptContent | undefined
  /** That were not there before either. */
  directories?(base: Base): readonly string[]
  /** What makes the thing as it was. @throws {AgentError} when what was kept is damaged. */
  giveBack(base: Base, files: HostFiles, managed: Managed): Promise<Resource>
  /** A record of another kind of the collection as one of its own, once it manages the thing instead. Default: it stays that kind's. */
  takesOver?(record: object): Base | undefined
  /**
   * What the host would have without nodewave, now that others may have changed the thing: what is ours is distinguished from what is theirs by the
   * spec. Default: as it was. @returns `base` itself when nothing of theirs is new.
   */
  recapture?(base: Base, options: { readonly spec: Spec; readonly context: CaptureContext }): Promise<Base>
}

export interface CaptureContext {
  readonly host: HostHands
  readonly paths: StatePaths
  /** Directories that are there only because we made them for other files. */
  readonly ours: readonly string[]
}

export interface KeptContent {
  readonly at: string
  readonly sha256: string
}

/** What the service manager has to do for a change to count. */
export interface Effects {
  /** It must read its unit files again. */
  readonly reload?: boolean
  /** Units that the change starts: they have read the new files already. */
  readonly starts?: readonly string[]
  readonly stops?: readonly string[]
  /** It stops what the restarts after all changes start again: an undo restarts whatever the plan restarts. */
  readonly pauses?: boolean
  /** Files whose content is known beforehand; undefined: the file goes. */
  readonly writes?: UpcomingFiles
}

/** One key of the host document. `Value` is erased: the schema has checked what is handed in. */
export interface Section {
  readonly key: string
  readonly schema: z.ZodMiniType
  /** What the section manages. Of the host nothing is read but the agent's own memory. */
  managed(value: never, place: SectionPlace): Managed | Promise<Managed>
  resources(value: never, files: HostFiles, place: SectionPlace): Promise<readonly Resource[]>
}

/** Where a section is applied. */
export interface SectionPlace {
  readonly files: HostFiles
  readonly paths: StatePaths
  /** `amd64`, `arm64` */
  readonly arch: string
  readonly manager: ServiceManagerName
}

/** A kind bound to what it should be. */
export interface Resource {
  readonly kind: string
  readonly subject: string
  readonly restartTriggers: readonly string[]
  /** See `ResourceKind.mustRun`. */
  readonly mustRun: boolean
  /** Compared as a whole with that of another target; nobody but the kind looks into it. */
  readonly spec: unknown
  /** Of the kind's `unit`. */
  readonly unit: string | undefined
  observe(host: ObserveHands): Promise<Finding>
  /** See `ResourceKind.over`. */
  over(baseline: BoundBaseline, files: HostFiles): Promise<Resource>
  /** Of this resource; see `BaselineOf.recapture`. */
  recapture(baseline: BoundBaseline, context: CaptureContext): Promise<BoundBaseline>
}

/** What observing one resource gave. */
export interface Finding {
  readonly subject: string
  readonly change: BoundChange | undefined
  /** Of the kind's `overridden`. */
  readonly overridden?: readonly string[] | undefined
}

/** A change, and the kind that knows how to do it. */
export interface BoundChange {
  readonly kind: string
  /** More than one for what is done at once. */
  readonly subjects: readonly string[]
  /** Of these, what has to be read again: units restart on them. */
  readonly renews: readonly string[]
  readonly disruption: Disruption
  /** When it makes the thing again what it was proved to work with. */
  readonly repairDisruption: Disruption
  readonly order: number
  readonly effects: Effects
  readonly fidelity: 'exact' | 'best effort' | 'none'
  readonly awaits: Awaited | undefined
  readonly proof: RecordedProof | undefined
  /** Of the kind's `proof`. */
  readonly isProvedByNode: boolean
  readonly stagedFor: string
  /** Missing: the change stays a step of its own. */
  readonly joinable?: Joinable | undefined
  stage(context: StageContext): Promise<void>
  prepareUndo(options: { readonly host: HostHands; readonly backup: string }): Promise<RecordedUndo>
  perform(host: HostHands): Promise<void>
}

/** What can be done at once with others of its kind; nobody but the kind looks into it. */
export interface Joinable {
  readonly change: unknown
  with(others: readonly BoundChange[]): BoundChange
}

/** An undo as the journal keeps it. */
export interface RecordedUndo {
  readonly kind: string
  readonly version: number
  readonly data: unknown
}

/** A proof as the journal keeps it. */
export interface RecordedProof {
  readonly kind: string
  readonly data?: unknown
}

/** An undo, and the kind that knows how to do it. */
export interface BoundUndo {
  readonly leavesTrace: boolean
  readonly afterRestarts: boolean
  readonly kept: readonly string[]
  perform(host: HostHands): Promise<void>
  isUndone(host: HostHands): Promise<boolean>
}

/** What a list of kinds has to know of each. */
export interface RegisteredKind {
  readonly name: string
  readonly version: number
  readonly section?: Section | undefined
  readonly collection: string
  /** Of the kind's `proof`. */
  complaint(data: unknown, host: ProofHands, signal?: AbortSignal): Promise<Complaint | undefined>
  /** @returns undefined when the data is not of this kind and version. */
  readUndo(data: unknown): BoundUndo | undefined
  capture(claim: Claim, context: CaptureContext): Promise<BoundBaseline>
  /** See `BaselineOf.takesOver`. */
  takesOver(baseline: BoundBaseline): BoundBaseline | undefined
  /** @returns undefined when the record is not of this kind and version. */
  readBaseline(record: unknown): BoundBaseline | undefined
}

/** What the host had before, and the kind that knows how to give it back. */
export interface BoundBaseline {
  readonly kind: string
  readonly key: string
  /** As it stands in the index. */
  readonly record: object
  readonly content: KeptContent | undefined
  readonly directories: readonly string[]
  /** @param managed what stays managed: directories among it stay, too */
  giveBack(files: HostFiles, managed: Managed): Promise<Resource>
}

export interface Kind<Spec> extends RegisteredKind {
  of(spec: Spec): Resource
}
