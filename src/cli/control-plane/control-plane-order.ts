import type { PlannedNode } from '../../render/node-facts.ts'
import { controlPlaneBlocker } from '../../rollout/control-plane/control-plane-blocker.ts'
import { type ControlPlaneView, isControlPlaneNode } from '../../rollout/control-plane/control-plane-view.ts'
import { hostsOf } from '../../rollout/control-plane/instances.ts'
import { nameList } from '../paint.ts'

/** What is said of nodes of the control plane among those that change; undefined when there are none. */
export function turnsText(
  touched: readonly PlannedNode[],
  { nodes, view }: { readonly nodes: readonly PlannedNode[]; readonly view: ControlPlaneView | undefined },
): string | undefined {
  const seen = new Set(view?.instances.map(({ node }) => node))
  const isHost = (node: PlannedNode): boolean => seen.has(node.name) || isControlPlaneNode(node)
  const hosts = touched.filter(isHost).map(({ name }) => name)
  if (hosts.length === 0) return undefined
  const members = view === undefined ? new Set<string>() : hostsOf('etcd', view)
  const [only] = members.size > 0 ? members : nodes.filter(isHost).map(({ name }) => name)
  const alone = (members.size || nodes.filter(isHost).length) === 1 && only !== undefined && hosts.includes(only)
  return `${nameList(hosts)}: ${alone ? ALONE : ONE_BY_ONE}${blockedNow(hosts, view)}`
}

function blockedNow(hosts: readonly string[], view: ControlPlaneView | undefined): string {
  const blocker = hosts.flatMap((host) => (view && controlPlaneBlocker(host, view)) ?? [])[0]
  return blocker === undefined ? '' : `; now they wait: ${blocker.message}`
}

const ONE_BY_ONE = 'one at a time over all pools, and only while all other API servers and etcd members are healthy'
const ALONE = 'the only one, so the API may be unavailable during the change'
