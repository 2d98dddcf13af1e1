import type { ApiObject } from '../api-object.ts'
import { keyOf } from '../api-object.ts'
import type { Core } from '../core.ts'
import type { JsonObject } from '../json.ts'
import { objectAt, sameJson, textAt } from '../json.ts'
import { disruptionBudgets } from '../resources/disruption-budgets.ts'
import { labelSelectorMatch } from '../selectors/label-selector.ts'
import { budgetStatus } from './budget-status.ts'

const SCALABLE: Readonly<Record<string, string>> = { ReplicaSet: 'replicasets.apps', StatefulSet: 'statefulsets.apps' }

/** Keeps the status of every PodDisruptionBudget true, as kube-controller-manager does; here within the write that changes it. */
export function runDisruptionController(core: Core): void {
  core.store.collection('pods').listen(({ entry }) => refresh(core, entry.object.metadata.namespace))
  core.store.collection(disruptionBudgets.collection).listen(({ type, entry }) => {
    if (type !== 'DELETED') refreshOne(core, entry.object)
  })
}

function refresh(core: Core, namespace: string | undefined): void {
  for (const budget of core.store.list(disruptionBudgets.collection))
    if (budget.metadata.namespace === namespace) refreshOne(core, budget)
}

function refreshOne(core: Core, budget: ApiObject): void {
  const matches = labelSelectorMatch(objectAt(budget, 'spec').selector)
  const pods = core.store
    .list('pods')
    .filter(({ metadata }) => metadata.namespace === budget.metadata.namespace && matches(metadata.labels ?? {}))
  const status = budgetStatus(budget, { pods, scaleOf: (owner, namespace) => scaleOf(core, owner, namespace), now: core.now() })
  // Writing only what changed also ends the recursion: the write comes back here as a change of the budget.
  if (!sameJson(status, budget.status)) core.store.put(disruptionBudgets.collection, { ...budget, status })
}

function scaleOf(core: Core, owner: JsonObject, namespace: string): number | undefined {
  const collection = SCALABLE[textAt(owner, 'kind')]
  const found = collection && core.store.get(collection, keyOf(namespace, textAt(owner, 'name')))
  return found ? Number(objectAt(found, 'spec').replicas ?? 1) : undefined
}
