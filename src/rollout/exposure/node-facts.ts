import { reportOf } from '../model/agent-report.ts'
import type { Reported } from '../model/availability.ts'
import type { RolloutClock } from '../model/deadlines.ts'
import { hasGoal, isInRollout } from '../model/node-progress.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Rollout } from '../model/rollout.ts'
import type { NodeTarget, Revision } from '../model/snapshot.ts'
import { type Condition, conditionOf } from './condition.ts'
import { isJoining } from './joining.ts'

/** What the rule of exposure looks at, for one node. */
export interface NodeFacts extends Reported {
  readonly target: NodeTarget
  readonly condition: Condition
  /** It is assigned the target, and need not be again. */
  readonly assigned: boolean
  /** This rollout has assigned the target to it. */
  readonly exposed: boolean
  /** The target is other content than the stable revision: only such a node proves anything. */
  readonly changes: boolean
  /** A young node that serves nobody yet; it gets the stable content at once. */
  readonly joins: boolean
}

export interface FactsContext {
  readonly rollout: Rollout
  readonly clock: RolloutClock
}

const NOT_RENDERED: NodeTarget = { kind: 'problem', message: 'no configuration was rendered for this node' }

export function factsOf(node: NodeView, { rollout, clock }: FactsContext): NodeFacts {
  const report = reportOf(node)
  const target = targetFor(node, rollout.target)
  const stable = rollout.stable && targetFor(node, rollout.stable)
  const assigned = hasGoal(node, { report, wanted: target }, clock)
  const changes = stable?.kind !== 'config' || target.kind !== 'config' || stable.digest !== target.digest
  return {
    node,
    report,
    target,
    condition: conditionOf(
      { node, report, isOnTarget: assigned && rollout.state !== 'Halted', isOnStable: isAssigned(node, stable) },
      clock,
    ),
    assigned,
    exposed: assigned && changes && node.assigned !== undefined && isInRollout(node.assigned, clock),
    changes,
    joins: isJoining(node, { target, stable, clock }),
  }
}

/** What a node is to become at a revision. */
export function targetFor({ name }: NodeView, { wanted }: Revision): NodeTarget {
  return wanted.get(name) ?? NOT_RENDERED
}

function isAssigned({ assigned }: NodeView, content: NodeTarget | undefined): boolean {
  return content?.kind === 'config' && content.digest === assigned?.digest
}
