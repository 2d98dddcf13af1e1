import type { ApiObject } from '../api-object.ts'
import type { Core } from '../core.ts'
import { stamp } from '../core.ts'
import type { JsonObject } from '../json.ts'
import { arrayAt, objectAt, textAt, without } from '../json.ts'
import { existing } from '../requests/get.ts'
import { readObject } from '../requests/read-body.ts'
import type { ApiRequest, ApiResponse } from '../requests/request.ts'
import { disruptionBudgets } from '../resources/disruption-budgets.ts'
import { conditionOf } from '../resources/workloads.ts'
import { labelSelectorMatch } from '../selectors/label-selector.ts'
import { badRequest, forbidden, StatusError } from '../status-error.ts'
import type { Entry } from '../storage/entry.ts'
import { deleteObject } from '../writes/delete-object.ts'
import { writeOptions } from '../writes/write-options.ts'
import { allowedCondition } from './budget-status.ts'

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
const SUCCESS = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })

/** POST of an Eviction: deletes the pod if its PodDisruptionBudget allows. @throws {StatusError} 400, 404, 409, 429, 500 */
export function evict(core: Core, request: ApiRequest): ApiResponse {
  const eviction = readObject(request)
  if (textAt(objectAt(eviction, 'metadata'), 'name') !== request.name)
    throw badRequest('name in URL does not match name in Eviction object')
  const options = objectAt(eviction, 'deleteOptions')
  const dryRun = writeOptions(request).dryRun || arrayAt(options, 'dryRun').includes('All')
  const entry = existing(core, request)
  if (!mayIgnoreBudget(entry.object)) spendBudget(core, entry.object, dryRun)
  const marked = dryRun ? entry : core.store.put(request.type.collection, disrupted(entry.object, core.now()))
  deleteObject(core, marked, { type: request.type, options, dryRun })
  return { code: 201, text: SUCCESS }
}

/** A pod that does not run yet, or no more, disrupts nobody. */
function mayIgnoreBudget(pod: ApiObject): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase')
  return pod.metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(phase)
}

function spendBudget(core: Core, pod: ApiObject, dryRun: boolean): void {
  const budgets = budgetsOf(core, pod)
  if (budgets.length > 1)
    throw new StatusError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  const [budget] = budgets
  if (!budget || isFreeToGo(pod, budget.object)) return
  checkBudget(budget.object)
  if (!dryRun) core.store.put(disruptionBudgets.collection, spent(budget.object, { pod, now: core.now() }))
}

function budgetsOf(core: Core, pod: ApiObject): Entry[] {
  const labels = pod.metadata.labels ?? {}
  return core.store
    .collection(disruptionBudgets.collection)
    .sorted()
    .filter(({ object }) => object.metadata.namespace === pod.metadata.namespace)
    .filter(({ object }) => labelSelectorMatch(objectAt(object, 'spec').selector)(labels))
}

/** An unready pod is not counted as healthy, so its going takes nothing away, if the policy sees it so. */
function isFreeToGo(pod: ApiObject, budget: ApiObject): boolean {
  if (conditionOf(pod, 'Ready')?.status === 'True') return false
  if (objectAt(budget, 'spec').unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy, desiredHealthy } = counts(budget)
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

function checkBudget(budget: ApiObject): void {
  const name = budget.metadata.name ?? ''
  const { observedGeneration, disruptionsAllowed, currentHealthy, desiredHealthy } = counts(budget)
  if (observedGeneration < (budget.metadata.generation ?? 0))
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10)
  if (disruptionsAllowed < 0)
    throw forbidden({ group: 'policy', plural: 'poddisruptionbudget', kind: '' }, name, {
      why: 'pdb disruptions allowed is negative',
    })
  if (disruptionsAllowed > 0) return
  const needs = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  throw tooManyRequests(
    currentHealthy <= desiredHealthy ? needs : `The disruption budget ${name} does not allow evicting pods currently`,
  )
}

function counts(budget: ApiObject) {
  const status = objectAt(budget, 'status')
  const count = (key: string) => Number(status[key] ?? 0)
  return {
    observedGeneration: count('observedGeneration'),
    disruptionsAllowed: count('disruptionsAllowed'),
    currentHealthy: count('currentHealthy'),
    desiredHealthy: count('desiredHealthy'),
  }
}

function tooManyRequests(why: string, retryAfterSeconds?: number): StatusError {
  const causes = [{ reason: 'DisruptionBudget', message: why }]
  return new StatusError(429, 'TooManyRequests', REFUSED, { details: { causes, retryAfterSeconds } })
}

/** The budget with one disruption less, and the pod in its list until it is seen to go. */
function spent(budget: ApiObject, { pod, now }: { pod: ApiObject; now: number }): ApiObject {
  const status = objectAt(budget, 'status')
  const disruptionsAllowed = Number(status.disruptionsAllowed ?? 0) - 1
  const disruptedPods = { ...objectAt(status, 'disruptedPods'), [pod.metadata.name ?? '']: stamp(now) }
  const conditions = disruptionsAllowed === 0 ? allowedCondition(budget, { disruptionsAllowed, now }) : status.conditions
  return { ...budget, status: { ...status, disruptionsAllowed, disruptedPods, ...(conditions ? { conditions } : {}) } }
}

function disrupted(pod: ApiObject, now: number): ApiObject {
  const status = objectAt(pod, 'status')
  const others = (arrayAt(status, 'conditions') as readonly JsonObject[]).filter(
    (condition) => condition.type !== 'DisruptionTarget',
  )
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: stamp(now),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  return { ...pod, status: { ...without(status, 'conditions'), conditions: [...others, target] } }
}
