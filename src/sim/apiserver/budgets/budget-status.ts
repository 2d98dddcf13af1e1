import type { ApiObject } from '../api-object.ts'
import { stamp } from '../core.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, isObject, objectAt, textAt } from '../json.ts'
import { conditionOf } from '../resources/workloads.ts'

/** A pod that was evicted and has not gone after so long counts again. */
const GONE_WITHIN = 120_000

export interface BudgetInput {
  /** Those that the budget selects. */
  readonly pods: readonly ApiObject[]
  /** Replicas that a controller is to have. */
  readonly scaleOf: (owner: JsonObject, namespace: string) => number | undefined
  readonly now: number
}

/** What the disruption controller of Kubernetes would write into the budget's status. */
export function budgetStatus(budget: ApiObject, { pods, scaleOf, now }: BudgetInput): JsonObject {
  const spec = objectAt(budget, 'spec')
  const disruptedPods = stillGoing(budget, pods, now)
  const currentHealthy = pods.filter((pod) => isHealthy(pod) && !((pod.metadata.name ?? '') in disruptedPods)).length
  const expectedPods = typeof spec.minAvailable === 'number' ? pods.length : expectedScale(pods, scaleOf)
  const desiredHealthy = desired(spec, expectedPods)
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: allowedCondition(budget, { disruptionsAllowed, now }),
  }
}

export function allowedCondition(
  budget: ApiObject,
  { disruptionsAllowed, now }: { disruptionsAllowed: number; now: number },
): readonly JsonObject[] {
  const status = disruptionsAllowed > 0 ? 'True' : 'False'
  const before = conditionOf(budget, 'DisruptionAllowed')
  const others = (arrayAt(objectAt(budget, 'status'), 'conditions') as readonly JsonObject[]).filter(
    (condition) => condition !== before,
  )
  const since = before?.status === status ? textAt(before, 'lastTransitionTime') : stamp(now)
  const condition = {
    type: 'DisruptionAllowed',
    status,
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: since,
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  }
  return [...others, condition]
}

function stillGoing(budget: ApiObject, pods: readonly ApiObject[], now: number): JsonObject {
  const listed = objectAt(objectAt(budget, 'status'), 'disruptedPods')
  const present = new Set(pods.filter((pod) => !pod.metadata.deletionTimestamp).map((pod) => pod.metadata.name))
  const going = Object.entries(listed).filter(
    ([name, since]) => present.has(name) && Date.parse(String(since)) + GONE_WITHIN > now,
  )
  return Object.fromEntries(going)
}

function isHealthy(pod: ApiObject): boolean {
  return !pod.metadata.deletionTimestamp && conditionOf(pod, 'Ready')?.status === 'True'
}

/** The replicas of all controllers of the pods; a controller that is not stored counts with the pods it has. */
function expectedScale(pods: readonly ApiObject[], scaleOf: BudgetInput['scaleOf']): number {
  const owned = Map.groupBy(pods.filter(controllerOf), (pod) => textAt(controllerOf(pod), 'uid'))
  return [...owned.values()].reduce((sum, group) => {
    const [first] = group
    const owner = first && controllerOf(first)
    return sum + ((owner && scaleOf(owner, first.metadata.namespace ?? '')) ?? group.length)
  }, 0)
}

function controllerOf(pod: ApiObject): JsonObject | undefined {
  return (pod.metadata.ownerReferences ?? []).filter(isObject).find((owner) => owner.controller === true)
}

function desired(spec: JsonObject, expected: number): number {
  if (spec.maxUnavailable !== undefined) return Math.max(0, expected - scaled(spec.maxUnavailable, expected))
  return spec.minAvailable === undefined ? 0 : scaled(spec.minAvailable, expected)
}

function scaled(share: Json, total: number): number {
  if (typeof share === 'number') return share
  return Math.ceil((Number.parseInt(String(share), 10) / 100) * total)
}
