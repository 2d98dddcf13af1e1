import { atMost, type Disruption, greatest } from '../../protocol/desired-config.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { BoundChange, Finding, Resource } from '../resources/kind.ts'
import { isSlice } from '../service-managers.ts'

export interface Step {
  readonly change: BoundChange
  /** Of the change, and of the restarts and the reboot that follow from it. */
  readonly disruption: Disruption
  /** The same when it makes the host again what it was proved to work with. */
  readonly repairDisruption: Disruption
}

/** What has to be done, in order; no steps: the host is as it should be, and nothing is restarted. */
export interface Plan {
  readonly steps: readonly Step[]
  /** The least grant with which all of it may be done. */
  readonly needs: Disruption
  readonly activation: Activation
}

/** What makes the changed files count, after all of them are in place; the same again after an undo. */
export interface Activation {
  readonly reload: boolean
  readonly restarts: readonly string[]
  /** Of `restarts`: these have to run. Another one runs again if it ran, and the service manager still knows it. */
  readonly required: readonly string[]
  /** A step has stopped these, since their file goes: the ones that the service manager knows all the same are started again. */
  readonly stopped: readonly string[]
}

/** Pure: what was found decides. Each kind says which of its changes come first; an undo goes the other way. */
export function plan(resources: readonly Resource[], findings: readonly Finding[], rebootOn: readonly string[] = []): Plan {
  const changes = findings.flatMap(({ change }) => change ?? [])
  const steps = atOnce(changes).map((change) => toStep(afterBoot(change, rebootOn), resources))
  return { ...inOrder(steps), activation: activationOf(resources, steps) }
}

/** The same with steps that stop units while their file still says how. */
export function withStopped(whole: Plan, stops: readonly BoundChange[]): Plan {
  const stopped = stops.flatMap(({ subjects }) => subjects)
  const { steps, needs, activation } = withChanges(whole, stops)
  const restarts = activation.restarts.filter((unit) => !stopped.includes(unit))
  return { steps, needs, activation: { ...activation, restarts, stopped } }
}

/** The same with changes that restart nothing by themselves. */
export function withChanges({ steps, activation }: Plan, changes: readonly BoundChange[]): Plan {
  return { ...inOrder([...steps, ...changes.map((change) => toStep(change, []))]), activation }
}

function inOrder(steps: readonly Step[]): Pick<Plan, 'steps' | 'needs'> {
  return {
    steps: steps.toSorted((a, b) => isFinal(a) - isFinal(b) || a.change.order - b.change.order),
    needs: greatest(steps.map((step) => step.disruption)),
  }
}

/** What cannot be undone comes last: nothing after it can fail. */
function isFinal({ change }: Step): number {
  return change.fidelity === 'none' ? 1 : 0
}

/** The part of a plan that brings back what was proved, and disturbs nobody with it. */
export function harmlessRepairs(whole: Plan): readonly Step[] {
  return whole.steps.filter((step) => atMost(step.repairDisruption, 'none'))
}

/** The configuration says that it counts only after a reboot. */
function afterBoot(change: BoundChange, rebootOn: readonly string[]): BoundChange {
  const counts = change.renews.some((subject) => rebootOn.includes(subject))
  return counts ? { ...change, awaits: change.awaits ?? 'boot' } : change
}

/** What can only be done at once is one step, at the place of the first. */
function atOnce(changes: readonly BoundChange[]): BoundChange[] {
  const byKind = Map.groupBy(changes, ({ kind, joinable }) => (joinable === undefined ? undefined : kind))
  return changes.flatMap((change) => {
    if (change.joinable === undefined) return [change]
    const [first, ...others] = byKind.get(change.kind) ?? []
    if (change !== first) return []
    return [others.length === 0 ? change : change.joinable.with(others)]
  })
}

function toStep(change: BoundChange, resources: readonly Resource[]): Step {
  const isRead = resources.some(({ restartTriggers }) => change.renews.some((subject) => restartTriggers.includes(subject)))
  const restarts = isRead ? 'restart' : 'none'
  const boot = change.awaits === 'boot' ? 'reboot' : 'none'
  const disruption = greatest([change.disruption, restarts, boot])
  return { change, disruption, repairDisruption: greatest([change.repairDisruption, restarts, boot]) }
}

/** The kubelet comes last: it should find everything it needs running. What a step started has read the new files already, or is to stop. */
function activationOf(resources: readonly Resource[], steps: readonly Step[]): Activation {
  const changed = new Set(steps.flatMap(({ change }) => change.renews))
  const done = steps.flatMap(({ change: { effects } }) => [...(effects.starts ?? []), ...(effects.stops ?? [])])
  // A slice has its new limits when systemd has read its file.
  const units = resources
    .filter(({ subject }) => !(done.includes(subject) || isSlice(subject)))
    .filter(({ restartTriggers }) => restartTriggers.some((path) => changed.has(path)))
    .map(({ subject }) => subject)
  const unique = new Set(units)
  const restarts = unique.delete(KUBELET_UNIT) ? [...unique, KUBELET_UNIT] : [...unique]
  return {
    reload: steps.some(({ change }) => change.effects.reload === true),
    restarts,
    required: restarts.filter((unit) => resources.some(({ subject, mustRun }) => mustRun && subject === unit)),
    stopped: [],
  }
}
