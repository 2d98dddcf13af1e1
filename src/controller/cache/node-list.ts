import type { ClusterNode } from './cluster-node.ts'

/** What is looked for by name alone. */
export type NodesByName = Pick<ReadonlyMap<string, ClusterNode>, 'get' | 'values'>

/** Nodes in their order, found by name, too. Never changed; lists of the same names share where each one stands. */
export class NodeList implements NodesByName {
  readonly nodes: readonly ClusterNode[]
  readonly #places: ReadonlyMap<string, number>

  constructor(nodes: readonly ClusterNode[], like?: NodeList) {
    this.nodes = nodes
    this.#places = like && hasSameNames(nodes, like.nodes) ? like.#places : new Map(nodes.map(({ name }, place) => [name, place]))
  }

  get(name: string): ClusterNode | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.nodes[place]
  }

  values(): MapIterator<ClusterNode> {
    return this.nodes.values() as MapIterator<ClusterNode>
  }

  /** With these in the places of those that have their names. */
  with(others: Iterable<ClusterNode>): NodeList {
    const nodes = this.nodes.slice()
    for (const node of others) {
      const place = this.#places.get(node.name)
      if (place !== undefined) nodes[place] = node
    }
    return new NodeList(nodes, this)
  }
}

function hasSameNames(nodes: readonly ClusterNode[], others: readonly ClusterNode[]): boolean {
  return (
    nodes.length === others.length && nodes.every((node, index) => node === others[index] || node.name === others[index]?.name)
  )
}
