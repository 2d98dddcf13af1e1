/** The rest of the control plane, once the API server answers. */
import type { ControlPlane } from './control-plane.ts'
import { waitUntil } from './wait.ts'

export async function startControllers({ start, api }: ControlPlane): Promise<void> {
  start('kube-controller-manager')
  start('kube-scheduler')
  await allowKubeletClient(api)
  // Pods can be made only after this.
  const account = () => api.ask('/api/v1/namespaces/default/serviceaccounts/default')
  await waitUntil(account, { for: 'the default service account' })
}

/** As kubeadm binds it: exec, logs and the proxy to a kubelet go by the API server's own client certificate. */
async function allowKubeletClient(api: ControlPlane['api']): Promise<void> {
  const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'kubeadm:cluster-admins' }
  await api.ask('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    method: 'POST',
    body: {
      metadata: { name: 'kubeadm:cluster-admins' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [group],
    },
  })
}
