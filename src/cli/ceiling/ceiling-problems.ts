import { changeViolation } from '../../controller/ceilings/content-violation.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { PAYLOAD_KEYS } from '../../protocol/names.ts'
import { sampleLabels } from '../../protocol/node-selector.ts'
import { createRenderer } from '../../render/create-renderer.ts'
import type { PlannedNode } from '../../render/node-facts.ts'
import { prepareVariant } from '../../render/prepare-variant.ts'
import type { Doc, FleetModel, Location } from '../../repo/model.ts'
import { policyPlace } from '../../repo/policy-place.ts'
import type { Problem } from '../../repo/problem.ts'
import { rolloutSettings } from '../../repo/rollout-settings.ts'
import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'
import { policyViolation } from '../../rollout/ceilings/policy-violation.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import { placeOf } from '../read-fleet.ts'

export interface CeilingSubject {
  readonly ceiling: Ceiling
  /** Absent: not known; each pool is judged as one of many nodes that have the labels of its selector. */
  readonly nodes?: readonly PlannedNode[] | undefined
}

/** Percentages come to themselves. */
const ASSUMED_NODES = 100

type Labelled = Pick<PlannedNode, 'labels'>

/** What pools break of a Ceiling: such pools would change no node. The disruption of a change is not known without what it changes from. */
export function ceilingProblems(model: FleetModel, { ceiling, nodes }: CeilingSubject): Problem[] {
  const renderer = createRenderer(model)
  return [...model.pools.values()].flatMap((pool) => {
    const members = nodes?.filter((node) => {
      const owner = renderer.poolOf(node)
      return owner.kind === 'owned' && owner.pool === pool.name
    })
    const policy = policyProblem(pool, { model, ceiling, nodes: members ?? assumedNodes(pool) })
    const contents = members ? renderedContents(members, (node) => renderer.render(pool.name, node)) : statedContents(model, pool)
    return [...policy, ...contentProblems(pool, { ceiling, contents })]
  })
}

function assumedNodes({ spec }: Doc<NodePoolSpec>): readonly Labelled[] {
  return Array.from({ length: ASSUMED_NODES }, () => ({ labels: sampleLabels(spec.nodeSelector) }))
}

function policyProblem(
  pool: Doc<NodePoolSpec>,
  { model, ceiling, nodes }: { readonly model: FleetModel; readonly ceiling: Ceiling; readonly nodes: readonly Labelled[] },
): Problem[] {
  const places = {
    maxUnavailable: policyPlace(model, 'rollout.maxUnavailable', pool.name),
    waves: policyPlace(model, 'rollout.waves', pool.name),
  }
  const policy = rolloutSettings(model.fleet.spec, pool.spec)
  const violation = policyViolation({ name: pool.name, policy, nodes, places }, ceiling)
  return violation === undefined ? [] : [problemAt(pool.source.where(['rollout']), violation)]
}

interface Held {
  readonly node: Labelled
  readonly content: NodeContent
  readonly where?: Location
}

function contentProblems(
  pool: Doc<NodePoolSpec>,
  { ceiling, contents }: { readonly ceiling: Ceiling; readonly contents: readonly Held[] },
): Problem[] {
  for (const { node, content, where } of contents) {
    const violation = changeViolation(node, { content, disruption: 'none' }, ceiling)
    if (violation !== undefined) return [problemAt(where ?? pool.source.where([]), `pool "${pool.name}": ${violation}`)]
  }
  return []
}

function renderedContents(
  nodes: readonly PlannedNode[],
  render: (node: PlannedNode) => { readonly ok: true; readonly content: NodeContent } | { readonly ok: false },
): Held[] {
  return nodes.flatMap((node) => {
    const rendered = render(node)
    return rendered.ok ? [{ node, content: rendered.content }] : []
  })
}

/** Of an override, a node is known by the labels alone that it selects by. */
function statedContents(model: FleetModel, pool: Doc<NodePoolSpec>): Held[] {
  const contentOf = (overrides: FleetModel['overrides']): NodeContent => {
    const { host } = prepareVariant(model, { pool, overrides })
    return { host: host.data[PAYLOAD_KEYS.host] }
  }
  const overridden = model.overrides.map((override) => ({
    node: { labels: override.spec.nodeSelector ? sampleLabels(override.spec.nodeSelector) : {} },
    content: contentOf([override]),
    where: override.source.where([]),
  }))
  return [{ node: { labels: sampleLabels(pool.spec.nodeSelector) }, content: contentOf([]) }, ...overridden]
}

function problemAt(at: Location, violation: string): Problem {
  return { severity: 'error', reason: 'CeilingExceeded', at: placeOf(at), message: `by the Ceiling "fleet": ${violation}` }
}
