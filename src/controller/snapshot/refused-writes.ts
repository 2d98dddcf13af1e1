import { isApplied, reportOf } from '../../rollout/model/agent-report.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { Rendered, RenderedConfig } from '../fleet/compiled-fleet.ts'
import { cordonKey, nodeKey, payloadKey, RECORD_PROOF, type Refusal, UNCORDON } from '../writes/write-failures.ts'

/** What the server refuses to write, found by node. */
export interface RefusedWrites {
  /** What keeps the node from what was rendered for it. */
  of(node: ClusterNode, rendered: Rendered): Refusal | undefined
  /** Of these nodes, those that are kept from something they may be brought to, stay cordoned, or wait for their proof. */
  concerning(
    nodes: readonly ClusterNode[],
    targets: (node: ClusterNode) => readonly Rendered[],
  ): readonly { readonly node: string; readonly message: string }[]
}

/** @returns undefined when nothing is refused: most often so */
export function refusedWrites(refusals: readonly Refusal[]): RefusedWrites | undefined {
  if (refusals.length === 0) return undefined
  const byObject = new Map(refusals.map((refusal) => [refusal.object, refusal]))
  const of = (node: ClusterNode, rendered: Rendered): Refusal | undefined => {
    if (rendered.kind !== 'config') return undefined
    const own = byObject.get(nodeKey(node.name))
    if (own?.about === rendered.digest) return own
    if (hasRead(node, rendered)) return undefined
    return rendered.payloads.map(({ name }) => byObject.get(payloadKey(name))).find((refusal) => refusal !== undefined)
  }
  return {
    of,
    concerning: (nodes, targets) =>
      nodes.flatMap((node) => {
        const own = byObject.get(nodeKey(node.name))
        const waits = own?.about === UNCORDON || own?.about === RECORD_PROOF ? own : byObject.get(cordonKey(node.name))
        const rendered = waits ? [] : targets(node)
        const refusal = waits ?? rendered.map((each) => of(node, each)).find((found) => found !== undefined)
        return refusal ? [{ node: node.name, message: refusal.message }] : []
      }),
  }
}

/** Its payloads may be gone, or others: the node needs them no more. */
function hasRead({ view }: ClusterNode, { digest }: RenderedConfig): boolean {
  return view.assigned?.digest === digest && isApplied(reportOf(view))
}
