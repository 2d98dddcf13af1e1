import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { NodeList } from '../cache/node-list.ts'
import { isWaiting, type Wait } from '../writes/write-failures.ts'
import { type NodeAction, wantedProof } from './node-patch.ts'
import { isKept } from './refuse-loss.ts'

class Assumption {
  readonly action: NodeAction
  readonly #node: ClusterNode
  readonly #pool: string
  #after: ClusterNode | undefined
  /** So long at most; absent: until the write has ended. */
  wait: Wait | undefined

  /** @param node as the decision saw it */
  constructor(node: ClusterNode, action: NodeAction, pool: string) {
    this.#node = node
    this.action = action
    this.#pool = pool
  }

  get before(): NodeView {
    return this.#node.view
  }

  /** Made when a pass asks for it: many writes have ended before the next pass. */
  get after(): ClusterNode {
    this.#after ??= assumed(this.#node, this.action, this.#pool)
    return this.#after
  }
}

function assumed(node: ClusterNode, action: NodeAction, pool: string): ClusterNode {
  const view = { ...node.view, ...changeOf(action, node.view, pool) }
  return { ...node, view, poolLabel: action.kind === 'assign' ? pool : node.poolLabel }
}

/**
 * Nodes as they are once the writes under way have arrived. The next decision counts on them as the scheduler counts on pods that it has
 * just bound: nothing is done twice, budgets are spent once, and the deadlines of what was just assigned have their timers.
 * The cache has the last word: an assumption ends as soon as the node changes there, whether that confirms it or not.
 */
export class AssumedNodes {
  readonly #byName = new Map<string, Assumption>()
  /** Writes that are counted on no more, and may have arrived all the same. */
  readonly #unanswered = new Map<string, Pick<Assumption, 'action' | 'before'>>()
  readonly #arrived: (name: string) => void

  /** @param arrived called when a write without an answer is found to have arrived */
  constructor(arrived: (name: string) => void = () => undefined) {
    this.#arrived = arrived
  }

  assume(node: ClusterNode, action: NodeAction, pool: string): void {
    this.#unanswered.delete(node.name)
    this.#byName.set(node.name, new Assumption(node, action, pool))
  }

  /** It is not known whether the write arrived: it is counted on for a while, and then decided upon again. */
  doubt(name: string, wait: Wait): void {
    const assumption = this.#byName.get(name)
    if (assumption) assumption.wait = wait
  }

  /** The same of a write that has had no answer too often to be counted on. */
  giveUp(name: string): void {
    const assumption = this.#byName.get(name)
    if (assumption) this.#unanswered.set(name, assumption)
    this.#byName.delete(name)
  }

  /** The write arrived, or it never will. */
  end(name: string): void {
    this.#byName.delete(name)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** The same object for as long as nothing changes. */
  of(node: ClusterNode, now: Instant): ClusterNode {
    const assumption = this.#byName.get(node.name)
    if (assumption === undefined) return node
    if (assumption.before === node.view && (assumption.wait === undefined || isWaiting(assumption.wait, now)))
      return assumption.after
    if (assumption.wait === undefined) return node
    this.#byName.delete(node.name)
    this.#lookFor(assumption, node)
    return node
  }

  /** All of them, those that are assumed as they will be. */
  applyTo(nodes: NodeList, now: Instant): NodeList {
    for (const [name, write] of this.#unanswered) {
      const node = nodes.get(name)
      if (node?.view === write.before) continue
      this.#unanswered.delete(name)
      if (node) this.#lookFor(write, node)
    }
    if (this.#byName.size === 0) return nodes
    return nodes.with([...this.#byName.keys()].flatMap((name) => this.#at(nodes.get(name), now)))
  }

  #lookFor({ action, before }: Pick<Assumption, 'action' | 'before'>, node: ClusterNode): void {
    if (before !== node.view && hasArrived(action, node)) this.#arrived(node.name)
  }

  #at(node: ClusterNode | undefined, now: Instant): ClusterNode[] {
    return node === undefined ? [] : [this.of(node, now)]
  }
}

function hasArrived(action: NodeAction, node: ClusterNode): boolean {
  if (action.kind !== 'uncordon') return isKept(action, node)
  const { mark, unschedulable } = node.view
  return mark?.state === action.mark?.state && !(action.lifts && unschedulable)
}

function changeOf(action: NodeAction, { unschedulable }: NodeView, pool: string): Partial<NodeView> {
  switch (action.kind) {
    case 'assign': {
      const { digest, revision, grant, reboot, nodeWas, at } = action
      return {
        assigned: { digest, revision, pool, grant, reboot, nodeWas, at },
        proof: wantedProof(action),
      }
    }
    case 'cordon':
      return { mark: action.mark, unschedulable: unschedulable || action.mark.state === 'Ours' }
    // Both count when the server has taken them: a node whose uncordon is refused gives no place in a budget back, and what a pod has
    // shown is of the node as it was when the pod ran.
    case 'uncordon':
    case 'recordProof':
      return {}
    case 'clearReboot':
      return { rebootRequest: undefined, rebootBy: undefined }
    case 'allowByHand':
      return { byHandAllowed: action.allowed || undefined }
  }
}
