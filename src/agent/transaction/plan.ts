import { atMost, type Disruption, greatest } from '../../protocol/desired-config.ts'
import { isUnitPath, KUBELET_UNIT } from '../paths.ts'
import type { Finding, Resource } from '../resources/resource.ts'
import type { Change } from './change.ts'

export interface Step {
  readonly change: Change
  readonly disruption: Disruption
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
}

/**
 * Pure: what was found decides. Units are stopped before their files go and started after their files have come; undone in
 * reverse, the same holds.
 */
export function plan(resources: readonly Resource[], findings: readonly Finding[]): Plan {
  const steps = findings.flatMap((finding) => toStep(finding, resources))
  const paths = new Set(findings.filter((finding) => finding.change !== undefined).map((finding) => finding.subject))
  const rank = ({ change }: Step): number => (change.kind !== 'unit' ? 1 : change.enabled || change.running ? 2 : 0)
  return {
    steps: steps.toSorted((a, b) => rank(a) - rank(b)),
    needs: greatest(steps.map((step) => step.disruption)),
    activation: { reload: [...paths].some(isUnitPath), restarts: restartsFor(resources, { paths, steps }) },
  }
}

/** The part of a plan that may be done under a grant. */
export function withinGrant(whole: Plan, grant: Disruption): readonly Step[] {
  return whole.steps.filter((step) => atMost(step.disruption, grant))
}

function toStep({ subject, change, disruption }: Finding, resources: readonly Resource[]): Step[] {
  if (change === undefined) return []
  const restarts = resources.some((resource) => resource.restartOn?.includes(subject))
  return [{ change, disruption: greatest([disruption, restarts ? 'restart' : 'none']) }]
}

/** The kubelet comes last: it should find everything it needs running. What was started by a step has read the new files already. */
function restartsFor(
  resources: readonly Resource[],
  { paths, steps }: { readonly paths: ReadonlySet<string>; readonly steps: readonly Step[] },
): string[] {
  const started = steps.flatMap(({ change }) => (change.kind === 'unit' && change.running ? [change.unit] : []))
  const units = resources
    .filter(({ subject, restartOn }) => !started.includes(subject) && restartOn?.some((path) => paths.has(path)))
    .map(({ subject }) => subject)
  const unique = new Set(units)
  return unique.delete(KUBELET_UNIT) ? [...unique, KUBELET_UNIT] : [...unique]
}
