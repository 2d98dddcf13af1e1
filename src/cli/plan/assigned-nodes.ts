import { createRenderer, type Renderer } from '../../render/create-renderer.ts'
import type { FleetModel } from '../../repo/model.ts'
import type { GivenNode } from '../../simulate/given-node.ts'
import { nameList } from '../paint.ts'
import { assignedFacts } from './assigned-facts.ts'

/** Nodes of a pool, by name, that do not have what the commit before the plan says. */
export interface AssignedNodes {
  readonly notAssigned: readonly string[]
  readonly byHand: readonly string[]
  /** The controller assigned them other content. */
  readonly otherContent: readonly string[]
}

/** Pure. How nodes compare with a commit; those that no pool of it has are new, and compare with nothing. */
export function assignedNodes(before: FleetModel): (nodes: readonly GivenNode[]) => AssignedNodes {
  const renderer = createRenderer(before)
  return (nodes) => {
    const factsIn = assignedFacts(nodes)(before)
    const found = Map.groupBy(nodes, (node) => kindOf(node, { renderer, factsIn }))
    const named = (kind: keyof AssignedNodes): string[] => (found.get(kind) ?? []).map(({ name }) => name)
    return { notAssigned: named('notAssigned'), byHand: named('byHand'), otherContent: named('otherContent') }
  }
}

export function assignedNotes({ notAssigned, byHand, otherContent }: AssignedNodes, from: string): string[] {
  const all = [
    ['not assigned yet', notAssigned],
    ['assigned by hand', byHand],
    [`assigned other content than that of ${from}`, otherContent],
  ] as const
  return all.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${nameList(names)}`]))
}

/** Content with a secret has another digest here than in the cluster. */
function kindOf(
  node: GivenNode,
  { renderer, factsIn }: { readonly renderer: Renderer; readonly factsIn: ReturnType<ReturnType<typeof assignedFacts>> },
): keyof AssignedNodes | undefined {
  const { assignment } = node
  const owner = renderer.poolOf(node)
  if (assignment === undefined || owner.kind !== 'owned') return undefined
  if (assignment === 'ByHand') return 'byHand'
  if (assignment === 'None') return 'notAssigned'
  const rendered = renderer.render(owner.pool, factsIn(owner.pool, node))
  if (!rendered.ok || rendered.content.secret !== undefined) return undefined
  return rendered.digest === assignment.digest ? undefined : 'otherContent'
}
