import { diffContent } from '../../render/diff-content.ts'
import { createDisruptionJudge } from '../../render/disruption.ts'
import type { CompiledPool } from '../fleet/compiled-fleet.ts'
import type { Changing, ChangingNode } from './changing-nodes.ts'
import { inSlices, type Turns } from './in-slices.ts'
import type { PlannedGroup } from './pool-plan.ts'

/** Ways from one content to another that are compared: where each node has a content of its own, comparing all would take too long. */
const MOST_WAYS = 200

export interface Grouped {
  readonly groups: readonly PlannedGroup[]
  readonly uncompared: number
}

/** Compares once what goes from one content to another, and tells as one of what then reads the same. */
export async function groupChanges(
  { changing, contentsOf }: Pick<Changing, 'changing' | 'contentsOf'>,
  { disruption: rules }: Pick<CompiledPool, 'disruption'>,
  turns: Turns,
): Promise<Grouped> {
  const judge = createDisruptionJudge()
  const ways = [...Map.groupBy(changing, wayOf).values()].sort((a, b) => b.length - a.length)
  const compared: PlannedGroup[] = []
  const compare = (nodes: readonly ChangingNode[]) => {
    const { node } = nodes[0] as ChangingNode
    const { before, after } = contentsOf(node)
    const changes = diffContent(before, after)
    const verdict = judge(before, after, { running: node.view.kubeletVersion, rules })
    compared.push({ nodes: nodes.map((each) => each.node.name), changes, ...verdict })
  }
  await inSlices(ways.slice(0, MOST_WAYS), compare, turns)
  const alike = Map.groupBy(compared, ({ nodes, ...rest }) => JSON.stringify(rest))
  const groups = [...alike.values()].map(
    (same): PlannedGroup => ({ ...(same[0] as PlannedGroup), nodes: same.flatMap(({ nodes }) => nodes) }),
  )
  const uncompared = ways.slice(MOST_WAYS).reduce((sum, nodes) => sum + nodes.length, 0)
  return { groups: groups.sort((a, b) => b.nodes.length - a.nodes.length), uncompared }
}

function wayOf({ node, digest }: ChangingNode): string {
  return `${node.current?.DIGEST ?? node.view.kubeletVersion} ${digest}`
}
