import { mapOnce } from '../../protocol/map-once.ts'
import { isControlPlaneNode } from '../../rollout/control-plane/control-plane-view.ts'
import { isToRead, reportOf } from '../../rollout/model/agent-report.ts'
import { isUnderDrain } from '../../rollout/model/cordon.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { NodeList } from '../cache/node-list.ts'
import type { ObjectEvent } from '../events/event-recorder.ts'
import { eventsOfNode } from '../events/node-events.ts'
import { type Members, membersOf, type Owners } from './assign-members.ts'

/** What a pass asks of every node: asked again of those that have changed since the last pass. */
export class NodeRoster {
  #listed = new NodeList([])
  #assigning: { readonly fleet: Owners; readonly members: (nodes: readonly ClusterNode[]) => Members } | undefined
  readonly #running = mapOnce(({ current }: ClusterNode) => current?.REVISION)
  readonly #assigned = mapOnce(({ view }: ClusterNode) => view.assigned?.revision)
  readonly #draining = mapOnce(({ view }: ClusterNode) => isUnderDrain(view))
  readonly #reading = mapOnce(({ view }: ClusterNode) => isToRead(view, reportOf(view)))
  readonly #roles = mapOnce(({ view }: ClusterNode) => isControlPlaneNode(view))
  readonly #events = mapOnce(eventsOfNode)

  list(nodes: readonly ClusterNode[]): NodeList {
    if (nodes !== this.#listed.nodes) this.#listed = new NodeList(nodes, this.#listed)
    return this.#listed
  }

  /**
   * What they run now says how much a change disturbs them, and what they are assigned, where a pool that has lost its status was going. Most often
   * that is a commit in use anyway.
   */
  commitsOnNodes({ nodes }: NodeList): ReadonlySet<string | undefined> {
    return new Set([...new Set(this.#running(nodes)), ...new Set(this.#assigned(nodes))])
  }

  underDrain({ nodes }: NodeList): readonly ClusterNode[] {
    return picked(nodes, this.#draining(nodes))
  }

  /** Their agents are about to read what the nodes were assigned. */
  toRead({ nodes }: NodeList): readonly ClusterNode[] {
    return picked(nodes, this.#reading(nodes))
  }

  /** By their role. */
  ofControlPlane({ nodes }: NodeList): readonly ClusterNode[] {
    return picked(nodes, this.#roles(nodes))
  }

  members({ nodes }: NodeList, fleet: Owners): Members {
    if (this.#assigning?.fleet !== fleet) this.#assigning = { fleet, members: membersOf(fleet) }
    return this.#assigning.members(nodes)
  }

  events({ nodes }: NodeList): readonly ObjectEvent[] {
    return this.#events(nodes).flat()
  }
}

function picked(nodes: readonly ClusterNode[], are: readonly boolean[]): readonly ClusterNode[] {
  return nodes.filter((_, index) => are[index])
}
