import type { KubeObject } from '../../kube/kube-api.ts'
import { type AgentStatus, isStatusOf, parseAgentStatus } from '../../protocol/agent-status.ts'
import { signerOf } from '../../protocol/assignment-signature.ts'
import { parseCordonMark } from '../../protocol/cordon-mark.ts'
import type { DesiredConfig } from '../../protocol/desired-config.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import { askedByKey, type Names } from '../../protocol/names.ts'
import { MAX_NODE_HISTORY } from '../../protocol/node-history.ts'
import { parseWrittenSettings, type Taint } from '../../protocol/node-settings.ts'
import { readOnce } from '../../protocol/read-once.ts'
import { isSameData } from '../../protocol/same-data.ts'
import { capacityOf } from '../../render/node-capacity.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import { type AnnotatedConfig, NOTHING, readAnnotatedConfig } from './annotated-config.ts'
import { fieldManagers } from './field-managers.ts'
import { MAX_FACT, type NodeStatus } from './node-status.ts'
import { viewOf } from './node-view.ts'
import { parseRenderedFrom, type RenderedFrom } from './rendered-from.ts'
import type { SettingsOnNode } from './settings-on-node.ts'

/**
 * What the controller keeps of a Node: the raw object, ten times as large, is not retained. What is absent is there as undefined: all have
 * one shape.
 */
export interface ClusterNode {
  readonly name: string
  readonly namespace: ''
  readonly uid: string
  readonly resourceVersion: string
  readonly view: NodeView
  /** The same object for as long as they are the same. */
  readonly facts: NodeFacts
  /** When its facts or labels changed lately; see `fact-limit.ts`. */
  readonly factChanges?: readonly Instant[] | undefined
  /** Status by type: `True`, `False` or `Unknown`. */
  readonly conditions: Readonly<Record<string, string>>
  /** What the node last proved healthy with, as its agent reports. */
  readonly current?: DesiredConfig | undefined
  /** Names of the payload ConfigMaps that its annotations speak of. */
  readonly payloads: readonly string[]
  /** COUNTER of its assignment, and the id of the key that signed it, if one did. */
  readonly counter?: number | undefined
  readonly signedBy?: string | undefined
  /** What it ran before, as the controller wrote it. */
  readonly history?: string | undefined
  /** Present where numbers of what it is assigned depend on its capacity. */
  readonly renderedFrom?: RenderedFrom | undefined
  /** The pool its label names. */
  readonly poolLabel?: string | undefined
  /** What the controller wrote to it besides, and its taints; absent: none. */
  readonly settings?: SettingsOnNode | undefined
}

/**
 * Never throws: annotations are written by agents and people, and a malformed one concerns its own node alone.
 * @param names which annotations are ours
 * @returns reads a Node, and takes over the facts that were the same before
 */
export function projectNode(names: Names): (object: KubeObject, before?: ClusterNode) => ClusterNode {
  const askedBy = { hold: askedByKey(names.hold), reboot: askedByKey(names.reboot) }
  const read = readOnce(readAnnotatedConfig)
  const desiredIn = (annotation: string | undefined): AnnotatedConfig => (annotation === undefined ? NOTHING : read(annotation))
  const readMark = readOnce((annotation) => ({ mark: parseCordonMark(annotation) }))
  const readStatus = readOnce((annotation) => ({ status: boundedStatus(parseAgentStatus(annotation)) }))
  return (object, before) => {
    const { metadata } = object
    const annotations = metadata.annotations ?? {}
    const status = (object.status ?? {}) as NodeStatus
    const facts = factsOf(object, before?.facts)
    const desired = desiredIn(annotations[names.desiredConfig])
    const current = desiredIn(annotations[names.currentConfig])
    const history = annotations[names.history]
    const from = parseRenderedFrom(annotations[names.renderedFrom])
    const renderedFrom = before?.renderedFrom && isSameData(before.renderedFrom, from) ? before.renderedFrom : from
    const reported = annotations[names.status]
    const told = reported === undefined ? undefined : readStatus(reported).status
    const isCopied = told !== undefined && !isStatusOf(told, metadata.uid)
    const agent = isCopied ? undefined : told
    const cordonedFor = annotations[names.cordonedFor]
    const mark = cordonedFor === undefined ? undefined : readMark(cordonedFor).mark
    const { COUNTER: counter } = desired.config ?? {}
    const signedBy = signerOf(desired.config ?? {})
    const poolLabel = metadata.labels?.[names.pool]
    return {
      name: metadata.name,
      namespace: '',
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      view: viewOf(object, { annotations, names, askedBy, status, desired, agent, mark, isCopied, facts }),
      facts,
      factChanges: undefined,
      conditions: conditionsIn(status, before?.conditions),
      current: current.config,
      payloads: desired.payloads.concat(current.payloads),
      history: history !== undefined && history.length <= MAX_NODE_HISTORY ? history : undefined,
      counter,
      signedBy,
      renderedFrom,
      poolLabel,
      settings: settingsOn(object, annotations[names.settings]),
    }
  }
}

const MAX_CONDITIONS = 100

/** @param before what they were so far; the same again where nothing has changed */
function conditionsIn({ conditions = [] }: NodeStatus, before?: ClusterNode['conditions']): ClusterNode['conditions'] {
  const found = Object.fromEntries(
    conditions.slice(0, MAX_CONDITIONS).map(({ type, status }) => [foreignText(type, MAX_FACT), status]),
  )
  return before && isSameData(before, found) ? before : found
}

/** Few Nodes have either. */
function settingsOn(object: KubeObject, written: string | undefined): SettingsOnNode | undefined {
  const { taints = [] } = (object.spec ?? {}) as { readonly taints?: readonly Taint[] }
  if (written === undefined) return taints.length === 0 ? undefined : { written, taints }
  const { labels, annotations, repairs } = parseWrittenSettings(written)
  const { metadata } = object
  const values = { labels: valuesOf(labels, metadata.labels), annotations: valuesOf(annotations, metadata.annotations) }
  // Who changed them is asked only where something was changed before.
  const managers = repairs && fieldManagers(object)
  return { written, taints, ...values, ...(managers && { managers }) }
}

function valuesOf(keys: readonly string[] = [], all: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(all, key) ? [[key, all[key] ?? '']] : [])))
}

/** Whoever has a node's credential writes this; the status of the pool, which repeats the errors of many nodes, must stay writable. */
const MAX_ERROR = 2000

function boundedStatus(status: AgentStatus | undefined): AgentStatus | undefined {
  if (!status?.error) return status
  const { reason, message } = status.error
  return { ...status, error: { reason: reason.slice(0, 100), message: message.slice(0, MAX_ERROR) } }
}

/** What its configuration is rendered from. @param before what it was so far; the same again where nothing has changed */
export function factsOf({ metadata, status }: KubeObject, before?: NodeFacts): NodeFacts {
  const { nodeInfo, addresses, capacity } = (status ?? {}) as NodeStatus
  const internal = addresses?.find((address) => address.type === 'InternalIP')
  const facts = {
    name: metadata.name,
    labels: metadata.labels ?? {},
    arch: foreignText(nodeInfo?.architecture ?? '', MAX_FACT),
    osImage: foreignText(nodeInfo?.osImage ?? '', MAX_FACT),
    ...(internal && { internalIP: foreignText(internal.address, MAX_FACT) }),
    ...capacityOf(capacity),
  }
  return before && isSameData(before, facts) ? before : facts
}
