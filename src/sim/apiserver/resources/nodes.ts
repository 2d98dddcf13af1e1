import type { ApiObject } from '../api-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { arrayAt, objectAt, textAt, without } from '../json.ts'
import { humanAge } from '../represent/human-duration.ts'
import type { TableColumns } from '../represent/table-columns.ts'
import { AGE_COLUMN, column, NAME_COLUMN } from '../represent/table-columns.ts'
import { builtIn } from './built-in.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const NOT_READY = 'node.kubernetes.io/not-ready'

const wide = { priority: 1 }

const columns: TableColumns = {
  definitions: [
    NAME_COLUMN,
    column('Status'),
    column('Roles'),
    AGE_COLUMN,
    column('Version'),
    column('Internal-IP', wide),
    column('External-IP', wide),
    column('OS-Image', wide),
    column('Kernel-Version', wide),
    column('Container-Runtime', wide),
  ],
  cells: (node, now) => {
    const info = objectAt(objectAt(node, 'status'), 'nodeInfo')
    const arch = textAt(info, 'architecture')
    return [
      node.metadata.name ?? '',
      nodeState(node),
      roles(node),
      humanAge(node.metadata.creationTimestamp, now),
      textAt(info, 'kubeletVersion'),
      address(node, 'InternalIP'),
      address(node, 'ExternalIP'),
      textAt(info, 'osImage') || '<unknown>',
      `${textAt(info, 'kernelVersion') || '<unknown>'}${arch ? ` (${arch})` : ''}`,
      textAt(info, 'containerRuntimeVersion') || '<unknown>',
    ]
  },
}

export const nodes = builtIn({
  apiVersion: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  hasStatus: true,
  columns,
  fields: { 'spec.unschedulable': (node) => String(objectAt(node, 'spec').unschedulable === true) },
  rules: {
    // A node may be registered with its status; later only the status subresource changes it.
    onCreate: (node) => tidied(withTaint(withZeroes(node))),
    onUpdate: (next, old) => tidied(withMember(next, 'status', old.status)),
    onStatusUpdate: (next, old) => withZeroes(withMember(next, 'spec', old.spec)),
  },
})

const NO_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
}
const NO_ENDPOINTS = { kubeletEndpoint: { Port: 0 } }

/** Go writes the members of these structs even when nobody set them. */
function withZeroes(node: ApiObject): ApiObject {
  const status = objectAt(node, 'status')
  const info = objectAt(status, 'nodeInfo')
  if (status.daemonEndpoints && Object.keys(NO_INFO).every((key) => key in info)) return node
  return { ...node, status: { daemonEndpoints: NO_ENDPOINTS, ...status, nodeInfo: { ...NO_INFO, ...info } } }
}

/** What the TaintNodesByCondition admission does: no pod lands on a node before its controllers have seen it. */
function withTaint(node: ApiObject): ApiObject {
  const spec = objectAt(node, 'spec')
  const taints = arrayAt(spec, 'taints')
  if (taints.some((taint) => (taint as JsonObject).key === NOT_READY)) return node
  return { ...node, spec: { ...spec, taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] } }
}

/** Go leaves `false` and empty lists out, so a node that was uncordoned looks as one that never was cordoned. */
function tidied(node: ApiObject): ApiObject {
  let spec = objectAt(node, 'spec')
  if (spec.unschedulable === false) spec = without(spec, 'unschedulable')
  if (arrayAt(spec, 'taints').length === 0) spec = without(spec, 'taints')
  return spec === node.spec ? node : { ...node, spec }
}

export function withMember(object: ApiObject, key: string, value: Json | undefined): ApiObject {
  if (object[key] === value) return object
  if (value !== undefined) return { ...object, [key]: value }
  return without(object, key) as ApiObject
}

function nodeState(node: ApiObject): string {
  const ready = arrayAt(objectAt(node, 'status'), 'conditions').find((condition) => (condition as JsonObject).type === 'Ready')
  const state = ready === undefined ? 'Unknown' : (ready as JsonObject).status === 'True' ? 'Ready' : 'NotReady'
  return objectAt(node, 'spec').unschedulable === true ? `${state},SchedulingDisabled` : state
}

function roles(node: ApiObject): string {
  const found = new Set<string>()
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) found.add(key.slice(ROLE_PREFIX.length))
    else if (key === 'kubernetes.io/role' && value !== '') found.add(value)
  }
  return [...found].sort().join(',') || '<none>'
}

function address(node: ApiObject, type: string): string {
  const found = arrayAt(objectAt(node, 'status'), 'addresses').find((entry) => (entry as JsonObject).type === type)
  return textAt(found as JsonObject | undefined, 'address') || '<none>'
}
