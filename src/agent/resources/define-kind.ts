import { type Disruption, greatest } from '../../protocol/desired-config.ts'
import type { BoundBaseline, BoundChange, BoundUndo, Kind, Resource, ResourceKind, UndoOf } from './kind.ts'

/** A kind as the rest of the agent sees it: what is its own (spec, change, undo, baseline) is bound, and never looked into. */
export function defineKind<Spec, Actual, Change, Undo, Base extends object>(
  kind: ResourceKind<Spec, Actual, Change, Undo, Base>,
): Kind<Spec> {
  const { name, version, section, undo, baseline } = kind
  const bindBase = (base: Base): BoundBaseline => ({
    kind: name,
    key: baseline.key(base),
    record: base,
    content: baseline.content?.(base),
    directories: baseline.directories?.(base) ?? [],
    giveBack: (files, managed) => baseline.giveBack(base, files, managed),
  })
  return {
    name,
    version,
    section,
    collection: baseline.collection,
    complaint: async (data, host, signal) => {
      const message = await kind.proof?.complaint(data, host, signal)
      return message === undefined ? undefined : { reason: kind.proof?.reason ?? 'HealthCheckFailed', message }
    },
    of: (spec) => bindSpec(kind, { spec, bindBase }),
    readUndo: (data) => {
      const read = undo.schema.safeParse(data)
      return read.success ? bindUndo(undo, read.data) : undefined
    },
    capture: async (claim, context) => bindBase(await baseline.capture(claim, context)),
    takesOver: ({ record }) => {
      const base = baseline.takesOver?.(record)
      return base && bindBase(base)
    },
    readBaseline: (record) => {
      const read = baseline.schema.safeParse(record)
      return read.success ? bindBase(read.data) : undefined
    },
  }
}

function bindSpec<Spec, Actual, Change, Undo, Base>(
  kind: ResourceKind<Spec, Actual, Change, Undo, Base>,
  { spec, bindBase }: { readonly spec: Spec; readonly bindBase: (base: Base) => BoundBaseline },
): Resource {
  const subject = kind.subject(spec)
  return {
    kind: kind.name,
    subject,
    spec,
    unit: kind.unit?.(spec),
    restartTriggers: kind.restartTriggers?.(spec) ?? [],
    mustRun: kind.mustRun?.(spec) ?? false,
    observe: async (host) => {
      const actual = await kind.observe(spec, host)
      const change = kind.differ(spec, actual)
      const overridden = kind.overridden?.(spec, actual)
      return {
        subject,
        change: change && bindChange(kind, { subjects: [subject], change, ...disruptionOf(kind, { change, actual }) }),
        overridden,
      }
    },
    over: async ({ record }, files) => {
      const over = await kind.over?.(spec, record, files)
      return over === undefined ? bindSpec(kind, { spec, bindBase }) : bindSpec(kind, { spec: over, bindBase })
    },
    recapture: async (bound, context) => {
      const { recapture, schema } = kind.baseline
      const read = schema.safeParse(bound.record)
      return recapture && read.success ? bindBase(await recapture(read.data, { spec, context })) : bound
    },
  }
}

interface Found<Change> {
  readonly subjects: readonly string[]
  readonly change: Change
  readonly disruption: Disruption
  readonly repairDisruption: Disruption
}

function disruptionOf<Spec, Actual, Change, Undo, Base>(
  kind: ResourceKind<Spec, Actual, Change, Undo, Base>,
  { change, actual }: { readonly change: Change; readonly actual: Actual },
): Pick<Found<Change>, 'disruption' | 'repairDisruption'> {
  const disruption = kind.disruption?.(change, actual) ?? 'none'
  return { disruption, repairDisruption: kind.repairDisruption?.(change) ?? disruption }
}

function bindChange<Spec, Actual, Change, Undo, Base>(
  kind: ResourceKind<Spec, Actual, Change, Undo, Base>,
  found: Found<Change>,
): BoundChange {
  const { subjects, change, disruption, repairDisruption } = found
  return {
    kind: kind.name,
    subjects,
    renews: kind.renews?.(change) ?? subjects,
    disruption,
    repairDisruption,
    order: kind.order?.(change) ?? 0,
    effects: kind.effects?.(change) ?? {},
    fidelity: kind.undo.fidelity,
    awaits: kind.awaits?.(change),
    isProvedByNode: kind.proof?.byNode ?? false,
    proof: kind.proof && { kind: kind.name, data: kind.proof.of(change) },
    joinable: kind.join && { change, with: (others) => bindChange(kind, joined(kind, found, others)) },
    stagedFor: kind.stagedFor?.(change) ?? '',
    stage: async (context) => kind.stage?.(change, context),
    prepareUndo: async (options) => ({
      kind: kind.name,
      version: kind.version,
      data: await kind.undo.prepare(change, options),
    }),
    perform: (host) => kind.perform(change, host),
  }
}

/** @param others of the same kind */
function joined<Change>(
  { join }: { join?(changes: readonly Change[]): Change },
  found: Found<Change>,
  others: readonly BoundChange[],
): Found<Change> {
  const changes = [found.change, ...others.map(({ joinable }) => joinable?.change as Change)]
  return {
    subjects: [...found.subjects, ...others.flatMap(({ subjects }) => subjects)],
    change: join?.(changes) ?? found.change,
    disruption: greatest([found.disruption, ...others.map(({ disruption }) => disruption)]),
    repairDisruption: greatest([found.repairDisruption, ...others.map(({ repairDisruption }) => repairDisruption)]),
  }
}

function bindUndo<Change, Undo>(undo: UndoOf<Change, Undo>, data: Undo): BoundUndo {
  return {
    leavesTrace: undo.leavesTrace,
    afterRestarts: undo.afterRestarts ?? false,
    kept: undo.kept?.(data) ?? [],
    perform: (host) => undo.perform(data, host),
    isUndone: (host) => undo.isUndone(data, host),
  }
}
