import type { KubeObject } from '../../kube/kube-api.ts'
import type { AgentStatus } from '../../protocol/agent-status.ts'
import { counterOf } from '../../protocol/assignment-signature.ts'
import type { CordonMark } from '../../protocol/cordon-mark.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import type { Names } from '../../protocol/names.ts'
import { parseNodeProof } from '../../protocol/node-proof.ts'
import { parseRebootOrder, parseRebootRequest } from '../../protocol/reboot-order.ts'
import { parseRequestedBy } from '../../protocol/requested-by.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView, Pressure } from '../../rollout/model/node-view.ts'
import { isPauseImage } from '../../rollout/proof/image.ts'
import type { AnnotatedConfig } from './annotated-config.ts'
import { MAX_FACT, type NodeStatus } from './node-status.ts'

interface NodeSpec {
  readonly unschedulable?: boolean
  readonly taints?: readonly { readonly key: string }[]
}

interface Parts {
  readonly annotations: Readonly<Record<string, string>>
  readonly names: Names
  /** Keys of the annotations that say who asked. */
  readonly askedBy: { readonly hold: string; readonly reboot: string }
  readonly status: NodeStatus
  readonly desired: AnnotatedConfig
  readonly agent: AgentStatus | undefined
  readonly mark: CordonMark | undefined
  /** It was made with the annotations of another Node. */
  readonly isCopied: boolean
  readonly facts: NodeFacts
}

/** The Node as decisions see it. */
export function viewOf(
  { metadata, spec }: KubeObject,
  { annotations, names, askedBy, status, desired, agent, mark, isCopied, facts: { labels } }: Parts,
): NodeView {
  const ready = status.conditions?.find((condition) => condition.type === 'Ready')
  const hold = annotations[names.hold]
  const createdAt = instant(metadata.creationTimestamp)
  const assigned = assignedBy(desired.config, isCopied ? createdAt : undefined)
  const pressures = pressuresIn(status)
  const podCapacity = Number(status.allocatable?.pods)
  const { unschedulable = false, taints = [] } = (spec ?? {}) as NodeSpec
  const bootId = status.nodeInfo?.bootID
  return {
    name: metadata.name,
    uid: metadata.uid,
    labels,
    zone: labels['topology.kubernetes.io/zone'] ?? '',
    createdAt,
    ready: ready?.status === 'True',
    readySince: instant(ready?.lastTransitionTime) || createdAt,
    staleReady: isBefore(ready?.lastHeartbeatTime, agent?.kubeletStartedAt) || undefined,
    leaving: metadata.deletionTimestamp !== undefined || undefined,
    pressures: pressures.length > 0 ? pressures : undefined,
    silent: ready?.status === 'Unknown' || undefined,
    shutDown: taints.some(({ key }) => SHUT_DOWN.has(key)) || undefined,
    unschedulable,
    kubeletVersion: foreignText(status.nodeInfo?.kubeletVersion ?? '', MAX_FACT).replace(/^v/, ''),
    assignedByHand: desired.malformed || (desired.config !== undefined && !assigned),
    hold: hold === undefined ? undefined : foreignText(hold, MAX_REASON),
    heldBy: parseRequestedBy(annotations[askedBy.hold]),
    bootId: bootId ? foreignText(bootId, MAX_FACT) : undefined,
    rebootRequest: parseRebootRequest(annotations[names.reboot]),
    rebootBy: parseRequestedBy(annotations[askedBy.reboot]),
    mark,
    assigned,
    byHandAllowed: annotations[names.byHand] === 'Allow' || undefined,
    status: agent,
    proof: parseNodeProof(annotations[names.proof], metadata.uid),
    pauseImage: pauseImageIn(status),
    podCapacity: Number.isInteger(podCapacity) ? podCapacity : undefined,
  }
}

/** By the cloud provider's controller when the instance is stopped; by a person whose machine is off. */
const SHUT_DOWN: ReadonlySet<string> = new Set(['node.cloudprovider.kubernetes.io/shutdown', 'node.kubernetes.io/out-of-service'])

const PRESSURES: ReadonlySet<string> = new Set(['MemoryPressure', 'DiskPressure', 'PIDPressure'])

/** Of these conditions Kubernetes makes the taints `node.kubernetes.io/memory-pressure` and so on. */
function pressuresIn({ conditions = [] }: NodeStatus): readonly Pressure[] {
  return conditions
    .filter(({ type, status }) => PRESSURES.has(type) && status === 'True')
    .map(({ type, lastTransitionTime }) => ({ type, since: instant(lastTransitionTime) }))
}

/** By a tag where it has one: the same again however kubelets order names. */
function pauseImageIn({ images = [] }: NodeStatus): string | undefined {
  const found = images.flatMap(({ names: all = [] }) => all.filter((name) => name.length <= MAX_FACT && isPauseImage(name)))
  return found.find((name) => !name.includes('@')) ?? found[0]
}

/** Characters; people write this by hand, and the status of the pool repeats it. */
const MAX_REASON = 500

/**
 * Both are stamps of the node's own clock; heartbeats have whole seconds. Not the heartbeat itself is kept: it changes every five minutes,
 * and each change of a view is a reason to decide.
 */
function isBefore(heartbeat: string | undefined, startedAt: string | undefined): boolean {
  if (heartbeat === undefined || startedAt === undefined) return false
  return Date.parse(heartbeat) < Math.floor(Date.parse(startedAt) / 1000) * 1000
}

/** DIGEST and POOL are what a person has no reason to write: both present, the assignment is ours. */
function assignedBy(config: DesiredConfig | undefined, copiedAt: Instant | undefined): NodeView['assigned'] {
  if (config?.DIGEST === undefined || config.POOL === undefined) return undefined
  const at = instant(config.ASSIGNED)
  return {
    digest: config.DIGEST,
    revision: config.REVISION ?? '',
    pool: config.POOL,
    grant: config.GRANT ?? 'restart',
    reboot: parseRebootOrder(config.REBOOT),
    nodeWas: config.NODE_WAS,
    at: at > 0 ? at : undefined,
    counter: counterOf(config),
    copiedAt,
  }
}

/** 0 for what is absent or no date. */
function instant(stamp: string | undefined): number {
  return stamp === undefined ? 0 : Date.parse(stamp) || 0
}
