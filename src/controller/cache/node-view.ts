import type { KubeObject } from '../../kube/kube-api.ts'
import { type AgentStatus, parseAgentStatus } from '../../protocol/agent-status.ts'
import { signerOf } from '../../protocol/assignment-signature.ts'
import { parseCordonMark } from '../../protocol/cordon-mark.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import { askedByKey, type Names } from '../../protocol/names.ts'
import { MAX_NODE_HISTORY } from '../../protocol/node-history.ts'
import { parseNodeProof } from '../../protocol/node-proof.ts'
import type { Taint } from '../../protocol/node-settings.ts'
import { readOnce } from '../../protocol/read-once.ts'
import { parseRebootOrder, parseRebootRequest } from '../../protocol/reboot-order.ts'
import { parseRequestedBy } from '../../protocol/requested-by.ts'
import { isSameData } from '../../protocol/same-data.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView, Pressure } from '../../rollout/model/node-view.ts'
import { isPauseImage } from '../../rollout/proof/image.ts'
import type { SettingsOnNode } from '../execution/settings-patch.ts'

/** What the controller keeps of a Node: the raw object, ten times as large, is not retained. */
export interface ClusterNode {
  readonly name: string
  readonly namespace: ''
  readonly uid: string
  readonly resourceVersion: string
  readonly view: NodeView
  /** The same object for as long as they are the same. */
  readonly facts: NodeFacts
  /** When its facts or labels changed lately; see `fact-limit.ts`. */
  readonly factChanges?: readonly Instant[]
  /** Status by type: `True`, `False` or `Unknown`. */
  readonly conditions: Readonly<Record<string, string>>
  /** What the node last proved healthy with, as its agent reports. */
  readonly current?: DesiredConfig
  /** Names of the payload ConfigMaps that its annotations speak of. */
  readonly payloads: readonly string[]
  /** COUNTER of its assignment, and the id of the key that signed it, if one did. */
  readonly counter?: number
  readonly signedBy?: string
  /** What it ran before, as the controller wrote it. */
  readonly history?: string
  /** The pool its label names. */
  readonly poolLabel?: string
  /** What the controller wrote to it besides, and its taints; absent: none. */
  readonly settings?: SettingsOnNode
}

/**
 * Never throws: annotations are written by agents and people, and a malformed one concerns its own node alone.
 * @param names which annotations are ours
 * @returns reads a Node, and takes over the facts that were the same before
 */
export function projectNode(names: Names): (object: KubeObject, before?: ClusterNode) => ClusterNode {
  const read = readOnce(readDesired)
  const desiredIn = (annotation: string | undefined): Desired => (annotation === undefined ? NOTHING : read(annotation))
  const readStatus = readOnce((annotation) => ({ status: boundedStatus(parseAgentStatus(annotation)) }))
  return (object, before) => {
    const { metadata } = object
    const annotations = metadata.annotations ?? {}
    const status = (object.status ?? {}) as NodeStatus
    const facts = factsOf(object, status, before?.facts)
    const desired = desiredIn(annotations[names.desiredConfig])
    const current = desiredIn(annotations[names.currentConfig]).config
    const history = annotations[names.history]
    const reported = annotations[names.status]
    const agent = reported === undefined ? undefined : readStatus(reported).status
    const { COUNTER: counter } = desired.config ?? {}
    const signedBy = signerOf(desired.config ?? {})
    const poolLabel = metadata.labels?.[names.pool]
    return {
      name: metadata.name,
      namespace: '',
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      view: viewOf(object, { annotations, names, status, desired, agent, facts }),
      facts,
      conditions: Object.fromEntries(
        (status.conditions ?? []).slice(0, MAX_CONDITIONS).map(({ type, status }) => [foreignText(type, MAX_FACT), status]),
      ),
      ...(current && { current }),
      payloads: [...payloadsOf(desired.config), ...payloadsOf(current)],
      ...(history !== undefined && history.length <= MAX_NODE_HISTORY && { history }),
      ...(counter !== undefined && { counter }),
      ...(signedBy !== undefined && { signedBy }),
      ...(poolLabel !== undefined && { poolLabel }),
      ...settingsOn(object, annotations[names.settings]),
    }
  }
}

interface NodeSpec {
  readonly unschedulable?: boolean
  readonly taints?: readonly { readonly key: string }[]
}

/** Few Nodes have either. */
function settingsOn(object: KubeObject, written: string | undefined): { readonly settings?: SettingsOnNode } {
  const { taints = [] } = (object.spec ?? {}) as { readonly taints?: readonly Taint[] }
  return written === undefined && taints.length === 0 ? {} : { settings: { written, taints } }
}

interface NodeStatus {
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly lastTransitionTime?: string
    readonly lastHeartbeatTime?: string
  }[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly nodeInfo?: {
    readonly kubeletVersion?: string
    readonly architecture?: string
    readonly osImage?: string
    readonly bootID?: string
  }
  readonly images?: readonly { readonly names?: readonly string[] }[]
  readonly allocatable?: { readonly pods?: string }
}

interface Desired {
  readonly config?: DesiredConfig
  readonly malformed: boolean
}

interface Parts {
  readonly annotations: Readonly<Record<string, string>>
  readonly names: Names
  readonly status: NodeStatus
  readonly desired: Desired
  readonly agent: AgentStatus | undefined
  readonly facts: NodeFacts
}

function viewOf(
  { metadata, spec }: KubeObject,
  { annotations, names, status, desired, agent, facts: { labels } }: Parts,
): NodeView {
  const ready = status.conditions?.find((condition) => condition.type === 'Ready')
  const hold = annotations[names.hold]
  const heldBy = parseRequestedBy(annotations[askedByKey(names.hold)])
  const mark = parseCordonMark(annotations[names.cordonedFor])
  const assigned = assignedBy(desired.config)
  const createdAt = instant(metadata.creationTimestamp)
  const pressures = pressuresIn(status)
  const proof = parseNodeProof(annotations[names.proof])
  const pauseImage = pauseImageIn(status)
  const podCapacity = Number(status.allocatable?.pods)
  const { unschedulable = false, taints = [] } = (spec ?? {}) as NodeSpec
  const bootId = status.nodeInfo?.bootID
  const rebootRequest = parseRebootRequest(annotations[names.reboot])
  const rebootBy = parseRequestedBy(annotations[askedByKey(names.reboot)])
  return {
    name: metadata.name,
    labels,
    zone: labels['topology.kubernetes.io/zone'] ?? '',
    createdAt,
    ready: ready?.status === 'True',
    readySince: instant(ready?.lastTransitionTime) || createdAt,
    ...(isBefore(ready?.lastHeartbeatTime, agent?.kubeletStartedAt) && { staleReady: true }),
    ...(metadata.deletionTimestamp !== undefined && { leaving: true }),
    ...(pressures.length > 0 && { pressures }),
    ...(ready?.status === 'Unknown' && { silent: true }),
    ...(taints.some(({ key }) => SHUT_DOWN.has(key)) && { shutDown: true }),
    unschedulable,
    kubeletVersion: foreignText(status.nodeInfo?.kubeletVersion ?? '', MAX_FACT).replace(/^v/, ''),
    assignedByHand: desired.malformed || (desired.config !== undefined && !assigned),
    ...(hold !== undefined && { hold: foreignText(hold, MAX_REASON) }),
    ...(heldBy && { heldBy }),
    ...(bootId && { bootId: foreignText(bootId, MAX_FACT) }),
    ...(rebootRequest && { rebootRequest }),
    ...(rebootBy && { rebootBy }),
    ...(mark && { mark }),
    ...(assigned && { assigned }),
    ...(annotations[names.byHand] === 'Allow' && { byHandAllowed: true }),
    ...(agent && { status: agent }),
    ...(proof && { proof }),
    ...(pauseImage !== undefined && { pauseImage }),
    ...(Number.isInteger(podCapacity) && { podCapacity }),
  }
}

/** By the cloud provider's controller when the instance is stopped; by a person whose machine is off. */
const SHUT_DOWN: ReadonlySet<string> = new Set(['node.cloudprovider.kubernetes.io/shutdown', 'node.kubernetes.io/out-of-service'])

/** Characters of what a kubelet says of its machine. */
const MAX_FACT = 256
const MAX_CONDITIONS = 100

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

/** Whoever has a node's credential writes this; the status of the pool, which repeats the errors of many nodes, must stay writable. */
const MAX_ERROR = 2000

function boundedStatus(status: AgentStatus | undefined): AgentStatus | undefined {
  if (!status?.error) return status
  const { reason, message } = status.error
  return { ...status, error: { reason: reason.slice(0, 100), message: message.slice(0, MAX_ERROR) } }
}

function factsOf({ metadata }: KubeObject, { nodeInfo, addresses }: NodeStatus, before: NodeFacts | undefined): NodeFacts {
  const internal = addresses?.find((address) => address.type === 'InternalIP')
  const facts = {
    name: metadata.name,
    labels: metadata.labels ?? {},
    arch: foreignText(nodeInfo?.architecture ?? '', MAX_FACT),
    osImage: foreignText(nodeInfo?.osImage ?? '', MAX_FACT),
    ...(internal && { internalIP: foreignText(internal.address, MAX_FACT) }),
  }
  return before && isSameData(before, facts) ? before : facts
}

const NOTHING: Desired = { malformed: false }

function readDesired(annotation: string): Desired {
  try {
    return { config: parseDesiredConfig(annotation), malformed: false }
  } catch {
    return { malformed: true }
  }
}

/** DIGEST and POOL are what a person has no reason to write: both present, the assignment is ours. */
function assignedBy(config: DesiredConfig | undefined): NodeView['assigned'] {
  if (config?.DIGEST === undefined || config.POOL === undefined) return undefined
  const at = instant(config.ASSIGNED)
  const reboot = parseRebootOrder(config.REBOOT)
  return {
    digest: config.DIGEST,
    revision: config.REVISION ?? '',
    pool: config.POOL,
    grant: config.GRANT ?? 'restart',
    ...(reboot && { reboot }),
    ...(at > 0 && { at }),
  }
}

function payloadsOf(config: DesiredConfig | undefined): string[] {
  return [config?.KUBELET_CONFIG, config?.HOST_CONFIG, config?.SECRET_CONFIG].filter((name) => name !== undefined)
}

/** 0 for what is absent or no date. */
function instant(stamp: string | undefined): number {
  return stamp === undefined ? 0 : Date.parse(stamp) || 0
}
