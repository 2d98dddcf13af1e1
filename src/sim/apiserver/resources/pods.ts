import type { ApiObject } from '../api-object.ts'
import { withMeta } from '../api-object.ts'
import type { JsonObject } from '../json.ts'
import { arrayAt, objectAt, textAt } from '../json.ts'
import { humanAge } from '../represent/human-duration.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import { AGE_COLUMN, column, NAME_COLUMN } from '../represent/table-columns.ts'
import type { Cause } from '../status-error.ts'
import { builtIn } from './built-in.ts'
import { withMember } from './nodes.ts'

const wide = { priority: 1 }

const columns: TableColumns = {
  definitions: [
    NAME_COLUMN,
    column('Ready'),
    column('Status'),
    column('Restarts'),
    AGE_COLUMN,
    column('IP', wide),
    column('Node', wide),
    column('Nominated Node', wide),
    column('Readiness Gates', wide),
  ],
  cells: (pod, now) => {
    const status = objectAt(pod, 'status')
    const containers = arrayAt(status, 'containerStatuses') as readonly JsonObject[]
    const ready = containers.filter((container) => container.ready === true && 'running' in objectAt(container, 'state')).length
    const restarts = containers.reduce((sum, container) => sum + Number(container.restartCount ?? 0), 0)
    return [
      pod.metadata.name ?? '',
      `${ready}/${arrayAt(objectAt(pod, 'spec'), 'containers').length}`,
      podState(pod),
      String(restarts),
      humanAge(pod.metadata.creationTimestamp, now),
      textAt(arrayAt(status, 'podIPs')[0] as JsonObject | undefined, 'ip') || '<none>',
      textAt(objectAt(pod, 'spec'), 'nodeName') || '<none>',
      textAt(status, 'nominatedNodeName') || '<none>',
      '<none>',
    ]
  },
}

export const pods = builtIn({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  columns,
  fields: {
    'spec.nodeName': (pod) => textAt(objectAt(pod, 'spec'), 'nodeName'),
    'spec.restartPolicy': (pod) => textAt(objectAt(pod, 'spec'), 'restartPolicy'),
    'spec.schedulerName': (pod) => textAt(objectAt(pod, 'spec'), 'schedulerName'),
    'spec.serviceAccountName': (pod) => textAt(objectAt(pod, 'spec'), 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(objectAt(pod, 'spec').hostNetwork === true),
    'status.phase': (pod) => textAt(objectAt(pod, 'status'), 'phase'),
    'status.podIP': (pod) => textAt(objectAt(pod, 'status'), 'podIP'),
    'status.nominatedNodeName': (pod) => textAt(objectAt(pod, 'status'), 'nominatedNodeName'),
  },
  rules: {
    onCreate: (pod) => ({
      ...withMeta(pod, { generation: 1 }),
      spec: withDefaults(objectAt(pod, 'spec')),
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    }),
    onUpdate: (next, old) => withMember(next, 'status', old.status),
    onStatusUpdate: (next, old) => withMember(next, 'spec', old.spec),
    validate: (pod) => missing(pod),
    countsGenerations: true,
    returnsDeleted: true,
  },
})

/** What the DefaultTolerationSeconds admission adds. */
const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}))

function withDefaults(spec: JsonObject): JsonObject {
  const containers = (arrayAt(spec, 'containers') as readonly JsonObject[]).map((container) => ({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: /:(?!latest$)[^/]+$/.test(textAt(container, 'image')) ? 'IfNotPresent' : 'Always',
    resources: {},
    ...container,
  }))
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    ...spec,
    tolerations: [...arrayAt(spec, 'tolerations'), ...NODE_TROUBLE],
    containers,
  }
}

function missing(pod: ApiObject): Cause[] {
  const containers = arrayAt(objectAt(pod, 'spec'), 'containers') as readonly JsonObject[]
  const required = (field: string): Cause => ({ reason: 'FieldValueRequired', message: 'Required value', field })
  if (containers.length === 0) return [required('spec.containers')]
  return containers.flatMap((container, index) =>
    ['name', 'image'].filter((key) => !textAt(container, key)).map((key) => required(`spec.containers[${index}].${key}`)),
  )
}

function podState(pod: ApiObject): string {
  const status = objectAt(pod, 'status')
  const phase = textAt(status, 'phase')
  if (pod.metadata.deletionTimestamp && phase !== 'Succeeded' && phase !== 'Failed') return 'Terminating'
  const waiting = (arrayAt(status, 'containerStatuses') as readonly JsonObject[])
    .map((container) => objectAt(container, 'state'))
    .map((state) => textAt(objectAt(state, 'waiting'), 'reason') || textAt(objectAt(state, 'terminated'), 'reason'))
    .find((reason) => reason !== '')
  return waiting ?? (textAt(status, 'reason') || phase)
}
