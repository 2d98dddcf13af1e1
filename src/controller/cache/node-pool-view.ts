import type { KubeObject } from '../../kube/kube-api.ts'
import { API_GROUP, API_VERSION, MANAGER, NODEPOOLS, OBJECT_KEYS } from '../../protocol/names.ts'
import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { Controls } from '../../rollout/model/snapshot.ts'
import { poolControls } from '../controls/controls.ts'
import { parsePoolStatus } from './node-pool-status.ts'

/** A NodePool object: the mirror of a pool of the repository, and the memory of its rollouts. */
export interface NodePoolView {
  readonly name: string
  readonly namespace: ''
  readonly resourceVersion: string
  readonly uid: string
  readonly generation: number
  readonly spec: unknown
  readonly status: Partial<NodePoolStatus>
  readonly controls: Controls
  /** Made by the controller, not by a person. */
  readonly managed: boolean
  /** Somebody deletes it; it is created again as soon as it is gone. */
  readonly deleting: boolean
}

export const NODEPOOL_API_VERSION = `${API_GROUP}/${API_VERSION}`

export function nodePoolsPath(name?: string): string {
  return `/apis/${NODEPOOL_API_VERSION}/${NODEPOOLS}${name === undefined ? '' : `/${name}`}`
}

export function projectNodePool(object: KubeObject): NodePoolView {
  const { metadata } = object
  return {
    name: metadata.name,
    namespace: '',
    resourceVersion: metadata.resourceVersion ?? '',
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    spec: object.spec,
    status: parsePoolStatus(object.status),
    controls: poolControls(metadata.annotations),
    managed: metadata.labels?.[OBJECT_KEYS.managedBy] === MANAGER,
    deleting: metadata.deletionTimestamp !== undefined,
  }
}
