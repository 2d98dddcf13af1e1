import type { NodeProof } from '../../protocol/node-proof.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodeList } from '../cache/node-list.ts'

interface UnkeptProof {
  readonly proof: NodeProof
  /** The node as it was shown last, and as it was before. */
  shown?: { readonly from: ClusterNode; readonly as: ClusterNode }
}

/**
 * Requests for a proof that the API server did not keep beside the assignment: without them the nodes would count as done before a pod has run.
 * Decisions see these nodes as if it had kept them, until a result is there or the node is assigned something else.
 */
export class UnkeptProofs {
  readonly #byName = new Map<string, UnkeptProof>()

  add(name: string, proof: NodeProof): void {
    this.#byName.set(name, { proof })
  }

  /** The same object for as long as nothing changes. */
  of(node: ClusterNode): ClusterNode {
    const unkept = this.#byName.get(node.name)
    if (unkept === undefined) return node
    if (!isOpen(unkept.proof, node.view)) {
      this.#byName.delete(node.name)
      return node
    }
    if (unkept.shown?.from !== node) unkept.shown = { from: node, as: { ...node, view: viewWith(unkept, node) } }
    return unkept.shown.as
  }

  applyTo(nodes: NodeList): NodeList {
    if (this.#byName.size === 0) return nodes
    return nodes.with([...this.#byName.keys()].flatMap((name) => this.#at(name, nodes.get(name))))
  }

  #at(name: string, node: ClusterNode | undefined): ClusterNode[] {
    if (node) return [this.of(node)]
    this.#byName.delete(name)
    return []
  }
}

function isOpen({ digest, assignedAt }: NodeProof, { assigned, proof }: NodeView): boolean {
  const isKept = proof?.digest === digest && proof.assignedAt === assignedAt
  return assigned?.digest === digest && assigned.at === assignedAt && !isKept
}

/** Most often a node has another version alone. */
function viewWith({ proof, shown }: UnkeptProof, { view }: ClusterNode): NodeView {
  return shown?.from.view === view ? shown.as.view : { ...view, proof }
}
