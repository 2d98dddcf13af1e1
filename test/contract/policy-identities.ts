/** Who writes on Nodes, and what of it the admission policy is to let through. */
export const OURS = 'nodewave.io'
export const COREOS = 'node-agent.alpha.coreos.com'
export const NODE = 'policy-n1'
export const REPORTS = [`${OURS}/status`, `${OURS}/current-config`, `${COREOS}/status`, `${COREOS}/current-config`]
const CONTROLS = [`${OURS}/hold`, `${OURS}/hold-by`, `${COREOS}/hold`, `${COREOS}/hold-by`, `${OURS}/reboot`, `${OURS}/reboot-by`]
const DESIRED = [`${OURS}/desired-config`, `${COREOS}/desired-config`]
const INTERNAL = [`${OURS}/cordoned-for`, `${OURS}/history`, `${OURS}/by-hand`, `${OURS}/anything-new`, `${COREOS}/other`]
const FOREIGN = ['example.com/other', 'notnodewave.io/status', 'x.nodewave.io/desired-config', 'plain']
export const ALL = [...REPORTS, ...CONTROLS, ...DESIRED, ...INTERNAL, ...FOREIGN]

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
  /** Annotations that it may add, change and remove. */
  readonly annotations: readonly string[]
  /** Whether it may write the label of the pool. */
  readonly label: boolean
}

const identities: Readonly<Record<string, Identity>> = {
  controller: {
    user: 'system:serviceaccount:nodewave-system:nodewave-controller',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:nodewave-system'],
    annotations: ALL,
    label: true,
  },
  'a person of the break-glass group': { user: 'grace', groups: ['nodewave:break-glass'], annotations: ALL, label: true },
  'an operator': { user: 'ada', groups: ['policy-operators'], annotations: [...CONTROLS, ...FOREIGN], label: false },
  "a CNI's service account": {
    user: 'system:serviceaccount:kube-system:cni',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
    annotations: FOREIGN,
    label: false,
  },
  'a namesake of the controller in another namespace': {
    user: 'system:serviceaccount:default:nodewave-controller',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
    annotations: FOREIGN,
    label: false,
  },
  'an administrator outside of the break-glass group': {
    user: 'root',
    groups: ['system:masters'],
    annotations: [...CONTROLS, ...FOREIGN],
    label: false,
  },
  'the kubelet of the node': {
    user: `system:node:${NODE}`,
    groups: ['system:nodes'],
    annotations: [...REPORTS, ...FOREIGN],
    label: false,
  },
  'a kubelet of the node that is in the groups of everybody else': {
    user: `system:node:${NODE}`,
    groups: ['system:nodes', 'nodewave:break-glass', 'policy-operators'],
    annotations: [...REPORTS, ...FOREIGN],
    label: false,
  },
}

export const names = Object.keys(identities)

export function identityOf(name: string): Identity {
  const found = identities[name]
  if (!found) throw new Error(`no identity "${name}"`)
  return found
}

export function as({ user, groups }: Identity): Record<string, string> {
  // Node's HTTP client takes a list for a header that comes several times.
  return { 'impersonate-user': user, 'impersonate-group': groups as unknown as string }
}

/** Every identity may do everything with Nodes in these tests, so that the policy alone decides; the scenario `rights` asks for the rights of deploy/. */
export const RIGHTS = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'policy-nodes' },
    rules: [{ apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['*'] }],
  },
  {
    ...binding('policy-nodes', 'policy-nodes'),
    subjects: Object.values(identities)
      .filter(({ groups }) => !groups.includes('system:nodes'))
      .map(({ user }) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user })),
  },
  {
    ...binding('policy-operators', 'nodewave-operator'),
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'policy-operators' }],
  },
]

function binding(name: string, role: string) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  }
}
