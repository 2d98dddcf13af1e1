import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { askedByKey, POOL_CONTROLS } from '../../protocol/names.ts'
import type { Payload } from '../../render/payload.ts'
import type { Action } from '../../rollout/model/decision.ts'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import { nodePoolsPath, projectNodePool } from '../cache/node-pool-view.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import type { Clock } from '../clock/clock.ts'
import { ensurePayloads } from '../config-maps/payloads.ts'
import { evict } from '../drain/evict.ts'
import type { EvictionAnswers } from '../drain/eviction-answers.ts'
import type { GateRunner } from '../gates/gate-runner.ts'
import type { ControllerSettings } from '../ports.ts'
import type { RenderedConfig } from '../revisions/compiled-fleet.ts'
import { forEach } from './for-each.ts'
import type { Assign, NodeAction, NodePatch } from './node-patch.ts'
import { assignPatch, byHandPatch, cordonPatch, uncordonPatch } from './node-patch.ts'

/** More in flight buys latency only. */
const IN_FLIGHT = 32
/** Unless the settings say otherwise. */
const ACTIONS_A_PASS = 128

export interface Execution {
  readonly kube: KubeApi
  readonly clock: Clock
  readonly answers: EvictionAnswers
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly gates: Pick<GateRunner, 'ask'>
  /** The nodes as the decision saw them. */
  readonly nodes: ReadonlyMap<string, ClusterNode>
  readonly rendered: (node: ClusterNode, revision: string) => RenderedConfig | undefined
}

export interface Executed {
  /**
   * A pass should follow at once: actions were left over, or a cordon was set or taken back, or a node that is down was assigned something,
   * which others wait for and no watch tells us. Of a node that is up its agent will tell.
   */
  readonly again: boolean
  /** What the server refused, by node. */
  readonly refused: readonly { readonly node: string; readonly message: string }[]
  /** What may pass when it is tried again though nothing changes. */
  readonly failures: readonly unknown[]
}

/**
 * Does what was decided for one pool, one request a node or pod. What changed since the decision makes its request void, never wrong.
 * @throws {KubeError} when the server cannot be reached, or refuses what the whole pool needs; what was not done is decided again.
 */
export async function execute(
  execution: Execution,
  { pool, actions }: { readonly pool: string; readonly actions: readonly Action[] },
): Promise<Executed> {
  for (const action of actions) {
    if (action.kind === 'askGate') execution.gates.ask(pool, action)
    if (action.kind === 'clearControl') await clearControl(execution, { pool, ...action })
  }
  const all = actions.filter((action) => 'node' in action)
  const now = all.slice(0, execution.settings.actionsAPass ?? ACTIONS_A_PASS)
  await ensurePayloadsOf(execution, now)
  const failed = await forEach(now, { atOnce: IN_FLIGHT }, async (action) => {
    if (action.kind === 'evict') return evict(execution, action)
    const body = patchFor(execution, action)
    if (body) await patchNode(execution, { node: action.node, body })
  })
  return {
    again: now.length < all.length || now.some((action) => isAwaited(execution, action)),
    refused: [...failed].flatMap(([{ node }, error]) => (isRefusal(error) ? [{ node, message: error.message }] : [])),
    failures: [...failed.values()].filter((error) => !(error instanceof KubeError && error.reaction === 'refuse')),
  }
}

/** The server had an answer, which is about this node. */
function isRefusal(error: unknown): error is KubeError {
  return error instanceof KubeError && !error.isAway
}

/** The answer to our own write is in the cache; its event brings nothing new any more. */
function isAwaited({ cluster, nodes }: Execution, action: Action & { readonly node: string }): boolean {
  const before = nodes.get(action.node)?.view
  if (action.kind === 'evict' || (action.kind === 'assign' && before?.ready)) return false
  return cluster.nodes.get(action.node)?.view !== before
}

/** @returns undefined when the node changed since the decision: then that change has asked for another pass. */
function patchFor({ cluster, nodes, settings, rendered }: Execution, action: NodeAction): NodePatch | undefined {
  const node = nodes.get(action.node)
  const latest = cluster.nodes.get(action.node)
  if (!node || latest?.view !== node.view) return undefined
  const { resourceVersion } = latest
  const context = { names: settings.names, resourceVersion }
  if (action.kind === 'cordon') return cordonPatch(action, context)
  if (action.kind === 'uncordon') return uncordonPatch(action, context)
  if (action.kind === 'allowByHand') return byHandPatch(action, context)
  const config = rendered(node, action.revision)
  return config?.digest === action.digest ? assignPatch(action, { ...context, rendered: config, node: latest }) : undefined
}

/** @throws {KubeError} unless the node has changed, or is gone */
async function patchNode(
  { kube, cluster }: Execution,
  { node, body }: { readonly node: string; readonly body: NodePatch },
): Promise<void> {
  try {
    const answer = await kube.patch<KubeObject>(`/api/v1/nodes/${node}`, body)
    cluster.nodes.wrote(cluster.readNode(answer))
  } catch (error) {
    if (error instanceof KubeError && error.reaction === 'conflict') cluster.nodes.refused(node, body.metadata.resourceVersion)
    // 404: the node is gone, and the watch will say so.
    else if (!(error instanceof KubeError && error.code === 404)) throw error
  }
}

/** A person who asks again while this is under way has changed the object; then the write is refused, and theirs stays. */
async function clearControl(
  { kube, cluster }: Execution,
  { pool, control, value }: Omit<Extract<Action, { kind: 'clearControl' }>, 'kind'> & { readonly pool: string },
): Promise<void> {
  const view = cluster.pools.get(pool)
  if (view?.controls[control] !== value) return
  const key = POOL_CONTROLS[control === 'promoted' ? 'promote' : control]
  const annotations = { [key]: null, [askedByKey(key)]: null }
  const body = { metadata: { resourceVersion: view.resourceVersion, annotations } }
  cluster.pools.wrote(projectNodePool(await kube.patch<KubeObject>(nodePoolsPath(pool), body)))
}

async function ensurePayloadsOf(execution: Execution, actions: readonly Action[]): Promise<void> {
  const { kube, settings, cluster, nodes } = execution
  const store = { kube, namespace: settings.namespace, configMaps: cluster.payloads }
  for (const [revision, assigned] of Map.groupBy(actions.filter(isAssign), (action) => action.revision)) {
    const payloads = new Map<string, Payload>()
    for (const action of assigned) {
      const node = nodes.get(action.node)
      const config = node && execution.rendered(node, revision)
      for (const payload of config?.payloads ?? []) payloads.set(payload.name, payload)
    }
    await ensurePayloads(store, { payloads, revision })
  }
}

function isAssign(action: Action): action is Assign {
  return action.kind === 'assign'
}
