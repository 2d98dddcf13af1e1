import { AgentError } from '../agent-error.ts'
import { archives } from './archives.ts'
import { bootEntries } from './boot-entries.ts'
import { certificate } from './certificate.ts'
import { directory } from './directory.ts'
import { editedFile } from './edited-file.ts'
import { file } from './file.ts'
import { fstabSwap } from './fstab-swap.ts'
import { group } from './group.ts'
import { kernelArguments } from './kernel-arguments.ts'
import { kernelModule } from './kernel-module.ts'
import type {
  BoundBaseline,
  BoundUndo,
  Complaint,
  ProofHands,
  RecordedProof,
  RecordedUndo,
  RegisteredKind,
  Section,
} from './kind.ts'
import { kubeletBinary } from './kubelet-binary.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { kubeletEnvironment } from './kubelet-environment.ts'
import { kubeletState } from './kubelet-state.ts'
import { link } from './link.ts'
import { nodeObject } from './node-object.ts'
import { packageKind } from './package.ts'
import { repository } from './repository.ts'
import { staticPod } from './static-pod.ts'
import { step } from './step.ts'
import { swap } from './swap.ts'
import { sysctl } from './sysctl.ts'
import { sysctlFile } from './sysctl-file.ts'
import { time } from './time.ts'
import { timeServers } from './time-servers.ts'
import { trialBoot } from './trial-boot.ts'
import { unit } from './unit.ts'
import { user } from './user.ts'

/** Every kind that this agent has. A new one is added here, and nowhere else. */
export const ALL_KINDS: readonly RegisteredKind[] = [
  file,
  editedFile,
  directory,
  link,
  group,
  user,
  unit,
  kubeletBinary,
  kubeletConfig,
  kubeletEnvironment,
  kubeletState,
  kernelModule,
  kernelArguments,
  bootEntries,
  sysctl,
  sysctlFile,
  repository,
  packageKind,
  swap,
  fstabSwap,
  timeServers,
  certificate,
  staticPod,
  step,
  trialBoot,
]

/** Sections that are made of other kinds. */
const MORE_SECTIONS: readonly Section[] = [archives, nodeObject, time]

/** The kinds by name. */
export class Kinds {
  readonly #byName: ReadonlyMap<string, RegisteredKind>
  /** The parts of a host document that this agent reads, by key. */
  readonly sections: ReadonlyMap<string, Section>

  constructor(list: readonly RegisteredKind[] = ALL_KINDS) {
    this.#byName = new Map(list.map((kind) => [kind.name, kind]))
    const sections = [...list.flatMap(({ section }) => section ?? []), ...MORE_SECTIONS]
    this.sections = new Map(sections.map((section) => [section.key, section]))
  }

  /** @throws when no kind has this name: a claim names a kind of this list. */
  named(name: string): RegisteredKind {
    const kind = this.#byName.get(name)
    if (kind === undefined) throw new Error(`find kind "${name}": it is not in the list of kinds`)
    return kind
  }

  /** Which word of the drift policy counts for it: the section that it belongs to, or `kubelet`. */
  driftKind(name: string): string {
    const [stem = name] = name.split('-')
    return this.#byName.get(name)?.section?.key ?? this.#byName.get(stem)?.section?.key ?? stem
  }

  /** @throws {AgentError} JournalUnreadable, when another version of the agent wrote it: skipping it would leave the host half changed. */
  undo({ kind, version, data }: RecordedUndo): BoundUndo {
    const known = this.#byName.get(kind)
    const undo = known?.version === version ? known.readUndo(data) : undefined
    if (undo !== undefined) return undo
    throw new AgentError(
      `read the journal: this agent cannot undo kind "${kind}" version ${version}; start the version of the agent that wrote it, or assign something new to have the host made by that`,
      { kind: 'internal', reason: 'JournalUnreadable' },
    )
  }

  /** @returns what is wrong; undefined when the change has proved itself. */
  async complaint({ kind, data }: RecordedProof, host: ProofHands, signal?: AbortSignal): Promise<Complaint | undefined> {
    return this.#byName.get(kind)?.complaint(data, host, signal)
  }

  /** @returns undefined when another version of the agent wrote the record. */
  baseline(record: { readonly kind: string }, collection: string): BoundBaseline | undefined {
    const known = this.#byName.get(record.kind)
    return known?.collection === collection ? known.readBaseline(record) : undefined
  }

  get collections(): ReadonlySet<string> {
    return new Set([...this.#byName.values()].map(({ collection }) => collection))
  }
}
