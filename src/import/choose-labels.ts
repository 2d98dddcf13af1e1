import { compareTexts } from '../protocol/by-text.ts'
import { GROUP_LABELS, type NodeGroup, ROLE_PREFIX } from './group-nodes.ts'
import type { ApiNodeFacts } from './subject.ts'

export interface ChosenLabels {
  readonly matchLabels: Readonly<Record<string, string>>
  /** Nodes that do not have them yet: somebody has to set them before the pool has its nodes. */
  readonly missingOn: readonly string[]
}

type Pair = readonly [key: string, value: string]

const RESTRICTED = 'node-restriction.kubernetes.io/'
/** Of one machine, its place or its model: they do not say what a node is for. */
const UNSTABLE =
  /^(?:beta\.kubernetes\.io|failure-domain\.beta\.kubernetes\.io|topology\.|feature\.node\.kubernetes\.io|nodewave\.io|node\.kubernetes\.io\/instance-type|kubernetes\.io\/(?:hostname|arch|os)$)/
const EVERY_NODE: Pair = ['kubernetes.io/os', 'linux']
/** Labels that are tried in pairs. */
const MOST_PAIRED = 20

/** Labels that select the nodes of a group and no others; where there are none, one that people set. */
export function chooseLabels(group: NodeGroup, groups: readonly NodeGroup[]): ChosenLabels {
  const members = group.members.map(({ node }) => node)
  const others = groups.filter((other) => other !== group).flatMap((other) => other.members.map(({ node }) => node))
  const shared = pairsOf(members)
  const usable = shared.filter(([key]) => !UNSTABLE.test(key)).sort((a, b) => rankOf(a) - rankOf(b) || compareTexts(a[0], b[0]))
  const single = usable.find((pair) => !others.some((node) => hasAll(node, [pair])))
  const chosen = single ? [single] : (everyNode(shared, others) ?? pairOf(usable.slice(0, MOST_PAIRED), others))
  if (chosen !== undefined) return { matchLabels: Object.fromEntries(chosen), missingOn: [] }
  return { matchLabels: { [`${RESTRICTED}pool`]: group.name }, missingOn: members.map(({ name }) => name) }
}

/** Labels of a selector that the kubelet of any node may give its own Node, and so take that into the pool. */
export function labelsOfKubelets(matchLabels: ChosenLabels['matchLabels']): string[] {
  return Object.keys(matchLabels).filter(
    (key) => key !== EVERY_NODE[0] && !key.startsWith(ROLE_PREFIX) && !key.startsWith(RESTRICTED),
  )
}

/** Labels that all have, with these values. */
function pairsOf([first, ...rest]: readonly ApiNodeFacts[]): Pair[] {
  return Object.entries(first?.labels ?? {}).filter(([key, value]) => rest.every(({ labels }) => labels[key] === value))
}

function everyNode(shared: readonly Pair[], others: readonly ApiNodeFacts[]): Pair[] | undefined {
  const has = shared.some(([key, value]) => key === EVERY_NODE[0] && value === EVERY_NODE[1])
  return has && others.length === 0 ? [EVERY_NODE] : undefined
}

function pairOf(usable: readonly Pair[], others: readonly ApiNodeFacts[]): Pair[] | undefined {
  for (const [at, first] of usable.entries())
    for (const second of usable.slice(at + 1)) if (!others.some((node) => hasAll(node, [first, second]))) return [first, second]
  return undefined
}

function hasAll({ labels }: ApiNodeFacts, pairs: readonly Pair[]): boolean {
  return pairs.every(([key, value]) => labels[key] === value)
}

/** First what kubelets cannot set of themselves, then what names groups. */
function rankOf([key]: Pair): number {
  if (key.startsWith(ROLE_PREFIX)) return 0
  if (key.startsWith(RESTRICTED)) return 1
  return GROUP_LABELS.some((label) => label === key) ? 2 : 3
}
