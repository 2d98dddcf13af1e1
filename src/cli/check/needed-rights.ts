/** What deploy/operator-rbac.yaml and deploy/controller-rbac.yaml allow, by what it is needed for. */
import {
  API_GROUP,
  CONTROLLER_LEASE,
  DEFAULT_REVISIONS_NAMESPACE,
  FLEET_CONFIG_MAP,
  PROOF_NAMESPACE,
  PUSH_LEASE,
} from '../../protocol/names.ts'

export const ROLES = ['operator', 'controller'] as const
export type Role = (typeof ROLES)[number]

/** Verbs on a resource, or on its objects of one name. */
export interface Need {
  readonly purpose: string
  readonly verbs: readonly string[]
  /** With its subresource: `pods/eviction`. */
  readonly resource: string
  /** Absent: of Kubernetes itself. */
  readonly group?: string
  readonly name?: string
  /** Absent: in the whole cluster. */
  readonly namespace?: string
}

/** @param namespace of the controller */
export function neededRights(role: Role, namespace: string): readonly Need[] {
  return role === 'operator' ? operatorNeeds(namespace) : controllerNeeds(namespace)
}

function operatorNeeds(namespace: string): Need[] {
  const admission = { purpose: 'check', verbs: ['list'], group: 'admissionregistration.k8s.io' }
  const changes = 'pause, resume, promote, retry, rollback, reconcile'
  return [
    { purpose: 'status, history', verbs: ['get', 'list', 'watch'], resource: 'nodepools', group: API_GROUP },
    { purpose: 'status, history', verbs: ['get', 'list', 'watch'], resource: 'nodes' },
    { purpose: 'status, logs', verbs: ['list'], resource: 'events' },
    { purpose: changes, verbs: ['patch'], resource: 'nodepools', group: API_GROUP },
    { purpose: 'pause, resume --all', verbs: ['get', 'patch'], resource: 'configmaps', name: FLEET_CONFIG_MAP, namespace },
    { purpose: 'hold, release', verbs: ['patch'], resource: 'nodes' },
    { purpose: 'hold, release', verbs: ['write'], resource: 'nodecontrols', group: API_GROUP },
    { purpose: 'plan', verbs: ['list'], resource: 'ceilings', group: API_GROUP },
    { ...admission, resource: 'validatingadmissionpolicies' },
    { ...admission, resource: 'validatingadmissionpolicybindings' },
    { purpose: 'check, dashboard', verbs: ['get'], ...lease(CONTROLLER_LEASE, namespace) },
    { purpose: 'dashboard', verbs: ['get'], resource: 'pods', namespace },
    { purpose: 'dashboard', verbs: ['get', 'create'], resource: 'pods/portforward', namespace },
  ]
}

function controllerNeeds(namespace: string): Need[] {
  const access = {
    purpose: 'payload access',
    verbs: ['list', 'watch', 'create', 'patch'],
    group: 'rbac.authorization.k8s.io',
    namespace,
  }
  const documents = { verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'], resource: 'configmaps' }
  return [
    { purpose: 'rollouts', verbs: ['list', 'watch', 'patch'], resource: 'nodes' },
    { purpose: 'rollouts', ...documents, resource: 'nodepools', group: API_GROUP },
    { purpose: 'rollouts', verbs: ['update'], resource: 'nodepools/status', group: API_GROUP },
    { purpose: 'rollouts', verbs: ['list', 'watch'], resource: 'ceilings', group: API_GROUP },
    { purpose: 'payloads', ...documents, namespace },
    { ...access, resource: 'roles' },
    { ...access, resource: 'rolebindings' },
    ...[CONTROLLER_LEASE, PUSH_LEASE].map((name) => ({
      purpose: 'leader election and webhooks',
      verbs: ['get', 'list', 'watch', 'create', 'update'],
      ...lease(name, namespace),
    })),
    { purpose: 'revisions', ...documents, namespace: DEFAULT_REVISIONS_NAMESPACE },
    { purpose: 'events', verbs: ['create'], resource: 'events', namespace: 'default' },
    { purpose: 'drains', verbs: ['list', 'watch'], resource: 'pods' },
    { purpose: 'drains', verbs: ['create'], resource: 'pods/eviction' },
    { purpose: 'drains', verbs: ['list', 'watch'], resource: 'poddisruptionbudgets', group: 'policy' },
    { purpose: 'proof by a pod', verbs: ['list', 'watch', 'create', 'delete'], resource: 'pods', namespace: PROOF_NAMESPACE },
    { purpose: 'proof by a pod', verbs: ['list', 'watch'], resource: 'events', namespace: PROOF_NAMESPACE },
  ]
}

function lease(name: string, namespace: string) {
  return { resource: 'leases', group: 'coordination.k8s.io', name, namespace }
}
