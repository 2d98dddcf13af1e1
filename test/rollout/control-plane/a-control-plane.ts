import type { Component, ControlPlaneInstance, ControlPlaneView } from '../../../src/rollout/control-plane/control-plane-view.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'

export const ROLE = { 'node-role.kubernetes.io/control-plane': '' }

/** A node with the control plane's role. */
export function aHost(name: string): NodeDraft {
  return aNode(name).labelled(ROLE)
}

export function instance(component: Component, node: string, more: Partial<ControlPlaneInstance> = {}): ControlPlaneInstance {
  const version = component === 'kube-apiserver' ? { version: '1.36.3' } : {}
  return { component, name: `${component}-${node}`, node, ready: true, ...version, ...more }
}

/** As kubeadm makes it: on each node an API server and an etcd member, all well. */
export function stacked(hosts: readonly NodeView[], more: Partial<ControlPlaneView> = {}): ControlPlaneView {
  const instances = hosts.flatMap(({ name }) => [instance('kube-apiserver', name), instance('etcd', name)])
  return { nodes: hosts, instances, answers: ['v1.36.3'], ...more }
}

/** The same with one instance changed, or away. */
export function but(view: ControlPlaneView, name: string, change: Partial<ControlPlaneInstance> | 'gone'): ControlPlaneView {
  const instances = view.instances.flatMap((each) =>
    each.name !== name ? [each] : change === 'gone' ? [] : [{ ...each, ...change }],
  )
  return { ...view, instances }
}
