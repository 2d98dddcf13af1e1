import { type Disruption, greatest } from '../protocol/desired-config.ts'
import type { DisruptionRules } from '../repo/rollout-settings.ts'
import { cgroupFailures } from './cgroup-failures.ts'
import { type ContentChange, diffContent } from './diff-content.ts'
import { disruptionBetween } from './disruption.ts'
import type { RenderedNode, RenderResult } from './instantiate.ts'
import type { PlannedNode } from './node-facts.ts'
import type { RenderProblem } from './render-problem.ts'

export interface PoolPlan {
  readonly pool: string
  /** Nodes of the pool afterwards. */
  readonly nodes: readonly string[]
  readonly touched: readonly string[]
  readonly disruption: Disruption
  /** Nodes that change alike, the largest group first. */
  readonly groups: readonly ChangeGroup[]
  /** Nodes of cgroup v1 on which the planned kubelet does not start: their agents refuse the change. */
  readonly cgroupFailures: readonly string[]
  /** Nodes that cannot be rendered afterwards: they stay as they are. */
  readonly problems: readonly { readonly node: string; readonly problem: RenderProblem }[]
}

export interface ChangeGroup {
  readonly nodes: readonly string[]
  readonly changes: readonly ContentChange[]
  readonly disruption: Disruption
  readonly reasons: readonly string[]
}

export interface NodeStep {
  readonly node: PlannedNode
  /** undefined: no pool had the node, or it could not be rendered. */
  readonly before: RenderedNode | undefined
  readonly after: RenderResult
}

type ChangedStep = NodeStep & { readonly after: RenderedNode }

/** @param rules how much changes disturb, where the pool knows better */
export function planPool(pool: string, steps: readonly NodeStep[], rules: DisruptionRules): PoolPlan {
  const changed = steps.filter(isChanged)
  const groups = groupAlike(changed, rules)
  return {
    pool,
    nodes: steps.map(({ node }) => node.name),
    touched: changed.map(({ node }) => node.name),
    disruption: greatest(groups.map((group) => group.disruption)),
    groups,
    cgroupFailures: cgroupFailures(changed.map(({ node, after: { content } }) => ({ node, content }))),
    problems: steps.flatMap(({ node, after }) =>
      after.ok ? [] : after.problems.map((problem) => ({ node: node.name, problem })),
    ),
  }
}

function isChanged(step: NodeStep): step is ChangedStep {
  return step.after.ok && step.before?.digest !== step.after.digest
}

/** Compares once what goes from one digest to another, and tells as one of what then reads the same. */
function groupAlike(changed: readonly ChangedStep[], rules: DisruptionRules): ChangeGroup[] {
  const ways = groupsBy(changed, ({ node, before, after }) => `${before?.digest ?? node.kubeletVersion} ${after.digest}`)
  const alike = groupsBy(
    ways.map((steps) => compareAlike(steps, rules)),
    ({ nodes, ...rest }) => JSON.stringify(rest),
  )
  const joined = alike.map((groups) => ({ ...groups[0], nodes: groups.flatMap((group) => group.nodes) }))
  return joined.sort((a, b) => b.nodes.length - a.nodes.length)
}

type Group<Item> = readonly [Item, ...Item[]]

function compareAlike(steps: Group<ChangedStep>, rules: DisruptionRules): ChangeGroup {
  const { node, before, after } = steps[0]
  return {
    nodes: steps.map((step) => step.node.name),
    changes: diffContent(before?.content, after.content),
    ...disruptionBetween(before?.content, after.content, { running: node.kubeletVersion, rules }),
  }
}

function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Group<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return [...groups.values()]
}
