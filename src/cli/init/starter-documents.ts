/** The documents of a new fleet. Pushed as they are, they change no node: a node joins the pool when somebody sets its label. */
export const STARTER_DOCUMENTS: Readonly<Record<string, string>> = {
  'fleet.yaml': `# The fleet as a whole. A repository has exactly one of these.
apiVersion: nodewave.io/v1alpha1
kind: Fleet
metadata:
  name: fleet
spec:
  # Defaults of all pools. A pool that states a field itself overrides them.
  rollout:
    maxUnavailable: 1 # unavailable nodes of a pool, whatever the reason, at which no other node is selected
    maxFailures: 0 # one failed node stops the pool
    onFailure: Rollback # the pool returns to the commit that it completed last
  mapFlags: Merge # flags that are maps, such as node-labels, are merged by key
`,
  'pools/workers.yaml': `# No node is in this pool yet. A node joins it when you set the label:
#   kubectl label node NAME node-restriction.kubernetes.io/pool=workers
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata:
  name: workers
spec:
  # A kubelet cannot set labels of this prefix on its own Node, so no node can choose its pool.
  nodeSelector:
    matchLabels:
      node-restriction.kubernetes.io/pool: workers
  kubelet:
    layout: kubeadm # how the kubelet is installed: kubeadm, env or managed
    flagSets: [baseline]
    # Without a version, the kubelet of the host stays. A version needs a KubeletRelease with its checksums.
    # version: "1.36.3"
    # release: upstream
  rollout:
    waves:
      - {name: canary, nodes: 1, soak: 10m}
      - {name: rest, nodes: 100%}
`,
  'flags/baseline.yaml': `# Flags that pools share. Most settings belong into a KubeletConfig: a flag overrides the configuration without a message.
apiVersion: nodewave.io/v1alpha1
kind: FlagSet
metadata:
  name: baseline
spec:
  flags:
    v: 2
`,
}
