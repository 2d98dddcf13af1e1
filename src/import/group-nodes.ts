import { canonicalJson } from '../protocol/digest.ts'
import type { ApiNodeFacts, NodeDescription } from './subject.ts'

/** Of the documents that all pools share: no pool has it. */
export const SHARED_NAME = 'base'

/** Nodes that become one pool. The first of them is what most are like. */
export interface NodeGroup {
  readonly name: string
  readonly members: readonly NodeDescription[]
}

export const ROLE_PREFIX = 'node-role.kubernetes.io/'
/** Labels by which clouds and people name groups of nodes. */
export const GROUP_LABELS = [
  'node-restriction.kubernetes.io/pool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'karpenter.sh/nodepool',
  'nodepool',
  'node-pool',
  'pool',
] as const

/** Equal nodes together. One that differs from its like stays with them: what it has of its own becomes a NodeOverride. */
export function groupNodes(nodes: readonly NodeDescription[]): NodeGroup[] {
  const byRole = Map.groupBy(nodes, ({ node, layout }) => canonicalJson([rolesOf(node), groupLabelOf(node) ?? '', layout ?? '']))
  const groups = [...byRole.values()].flatMap(splitByContent)
  const taken = new Set<string>([SHARED_NAME])
  return groups.map((members) => ({ name: freeName(nameFor(members[0]?.node), taken), members }))
}

/** Several that are alike are a pool; single ones belong to the largest. */
function splitByContent(nodes: readonly NodeDescription[]): NodeDescription[][] {
  const alike = Map.groupBy(nodes, ({ flags, config }) => canonicalJson({ flags, config } as never))
  const bySize = [...alike.values()].sort((a, b) => b.length - a.length)
  const [largest = [], ...others] = bySize
  const pools = others.filter(({ length }) => length > 1)
  const single = others.filter(({ length }) => length === 1).flat()
  return [[...largest, ...single], ...pools]
}

export function rolesOf({ labels }: ApiNodeFacts): string[] {
  const roles = Object.keys(labels).filter((key) => key.startsWith(ROLE_PREFIX))
  return roles.map((key) => key.slice(ROLE_PREFIX.length)).sort()
}

function groupLabelOf({ labels }: ApiNodeFacts): string | undefined {
  const key = GROUP_LABELS.find((each) => labels[each])
  return key && labels[key]
}

function nameFor(node: ApiNodeFacts | undefined): string {
  const [role] = node === undefined ? [] : rolesOf(node)
  const isPlain = role === undefined || role === 'worker' || role === 'node'
  const named = isPlain ? ((node && groupLabelOf(node)) ?? 'workers') : role
  return (
    named
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+/, '')
      .slice(0, 40)
      .replace(/-+$/, '') || 'workers'
  )
}

function freeName(name: string, taken: Set<string>): string {
  let [free, number] = [name, 1]
  while (taken.has(free)) free = `${name}-${++number}`
  taken.add(free)
  return free
}
