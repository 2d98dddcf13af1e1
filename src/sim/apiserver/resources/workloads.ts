import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, objectAt, textAt } from '../json.ts'
import type { TableColumn } from '../represent/table-columns.ts'
import { column } from '../represent/table-columns.ts'
import { builtIn, columnsWithAge, NAME_AND_AGE } from './built-in.ts'
import { withMember } from './nodes.ts'
import type { ResourceType, Rules } from './resource-type.ts'

/** Spec and status apart, generations counted: what a kind with a controller has. Nothing here runs the controllers. */
export const SPEC_AND_STATUS: Rules = {
  onCreate: (object) => withMember(object, 'status', {}),
  onUpdate: (next, old) => withMember(next, 'status', old.status),
  onStatusUpdate: (next, old) => withMember(next, 'spec', old.spec),
  countsGenerations: true,
}

/** Kept as they are given, for owners of pods and for `kubectl apply` of whole manifests. */
export const workloads: readonly ResourceType[] = [
  workload('Deployment', 'deploy', {
    definitions: ['Ready', 'Up-to-date', 'Available'],
    cells: (object) => [
      `${count(object, 'readyReplicas')}/${replicas(object)}`,
      count(object, 'updatedReplicas'),
      count(object, 'availableReplicas'),
    ],
  }),
  workload('ReplicaSet', 'rs', {
    definitions: ['Desired', 'Current', 'Ready'],
    cells: (object) => [replicas(object), count(object, 'replicas'), count(object, 'readyReplicas')],
  }),
  workload('StatefulSet', 'sts', {
    definitions: ['Ready'],
    cells: (object) => [`${count(object, 'readyReplicas')}/${replicas(object)}`],
  }),
  workload('DaemonSet', 'ds', {
    definitions: ['Desired', 'Current', 'Ready', 'Up-to-date', 'Available', 'Node Selector'],
    cells: (object) => [
      count(object, 'desiredNumberScheduled'),
      count(object, 'currentNumberScheduled'),
      count(object, 'numberReady'),
      count(object, 'updatedNumberScheduled'),
      count(object, 'numberAvailable'),
      nodeSelector(object),
    ],
  }),
]

/** Kept as they are given: what becomes of a Job is for whoever writes its status. */
export const batch: readonly ResourceType[] = [batchKind('Job'), batchKind('CronJob', ['cj'])]

function batchKind(kind: string, shortNames: readonly string[] = []): ResourceType {
  return builtIn({
    apiVersion: 'batch/v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
    shortNames,
    categories: ['all'],
    hasStatus: true,
    rules: SPEC_AND_STATUS,
    columns: NAME_AND_AGE,
  })
}

interface WorkloadColumns {
  readonly definitions: readonly string[]
  readonly cells: (object: ApiObject) => readonly Json[]
}

function workload(kind: string, shortName: string, shown: WorkloadColumns): ResourceType {
  const definitions: TableColumn[] = shown.definitions.map((name) => column(name))
  return builtIn({
    apiVersion: 'apps/v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
    shortNames: [shortName],
    categories: ['all'],
    hasStatus: true,
    rules: SPEC_AND_STATUS,
    columns: columnsWithAge({ definitions, cells: shown.cells }),
  })
}

function count(object: ApiObject, key: string): number {
  return Number(objectAt(object, 'status')[key] ?? 0)
}

function replicas(object: ApiObject): number {
  return Number(objectAt(object, 'spec').replicas ?? 1)
}

function nodeSelector(object: ApiObject): string {
  const podSpec = objectAt(objectAt(objectAt(object, 'spec'), 'template'), 'spec')
  const labels = Object.entries(objectAt(podSpec, 'nodeSelector')).map(([key, value]) => `${key}=${String(value)}`)
  return labels.sort().join(',') || '<none>'
}

export function conditionOf(object: ApiObject, type: string): JsonObject | undefined {
  const conditions = arrayAt(objectAt(object, 'status'), 'conditions') as readonly JsonObject[]
  return conditions.find((condition) => textAt(condition, 'type') === type)
}
