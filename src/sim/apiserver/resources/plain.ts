import { withMeta } from '../api-object.ts'
import { objectAt, textAt } from '../json.ts'
import { column } from '../represent/table-columns.ts'
import { builtIn, columnsWithAge, NAME_AND_AGE } from './built-in.ts'
import { withMember } from './nodes.ts'
import type { ResourceType } from './resource-type.ts'

const PERMANENT = ['default', 'kube-system', 'kube-public']

export const namespaces = builtIn({
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  hasStatus: true,
  fields: { 'status.phase': (namespace) => textAt(objectAt(namespace, 'status'), 'phase') },
  columns: columnsWithAge({
    definitions: [column('Status')],
    cells: (namespace) => [textAt(objectAt(namespace, 'status'), 'phase')],
  }),
  rules: {
    onCreate: (namespace) => ({
      ...withMeta(namespace, {
        labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name ?? '' },
      }),
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }),
    onUpdate: (next, old) => withMember(withMember(next, 'status', old.status), 'spec', old.spec),
    onStatusUpdate: (next, old) => withMember(next, 'spec', old.spec),
    returnsDeleted: true,
    onDelete: (namespace) => ({ ...namespace, status: { phase: 'Terminating' } }),
    keeps: ({ metadata }) => PERMANENT.includes(metadata.name ?? ''),
  },
})

export const leases = builtIn({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  rules: {
    createOnUpdate: true,
    needsRevision: true,
    validate: (lease) => {
      const { leaseDurationSeconds } = objectAt(lease, 'spec')
      if (typeof leaseDurationSeconds !== 'number' || leaseDurationSeconds > 0) return []
      const message = `Invalid value: ${leaseDurationSeconds}: must be greater than 0`
      return [{ reason: 'FieldValueInvalid', message, field: 'spec.leaseDurationSeconds' }]
    },
  },
  columns: columnsWithAge({
    definitions: [column('Holder')],
    cells: (lease) => [textAt(objectAt(lease, 'spec'), 'holderIdentity')],
  }),
})

/** Answered with yes and forgotten: there is no authorization here. */
const accessReviews = builtIn({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  rules: { answer: (review) => ({ ...review, status: { allowed: true } }) },
})

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
}

const rulesReviews = builtIn({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  rules: { answer: (review) => ({ ...review, status: EVERYTHING }) },
})

/** There is no authentication either: everybody is the same. */
const subjectReviews = builtIn({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  rules: {
    answer: (review) => ({ ...review, status: { userInfo: { username: 'anyone', groups: ['system:authenticated'] } } }),
  },
})

/** Stored and nothing more, so that whole manifests can be applied. */
export const plain: readonly ResourceType[] = [
  namespaces,
  leases,
  accessReviews,
  rulesReviews,
  subjectReviews,
  builtIn({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    shortNames: ['sa'],
    columns: NAME_AND_AGE,
  }),
  builtIn({
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    hasStatus: true,
    columns: NAME_AND_AGE,
  }),
  rbac('ClusterRole', false),
  rbac('ClusterRoleBinding', false),
  rbac('Role', true),
  rbac('RoleBinding', true),
  admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  admission('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
]

function rbac(kind: string, namespaced: boolean): ResourceType {
  return builtIn({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    columns: NAME_AND_AGE,
  })
}

function admission(kind: string, plural: string): ResourceType {
  return builtIn({ apiVersion: 'admissionregistration.k8s.io/v1', kind, plural, namespaced: false, columns: NAME_AND_AGE })
}
