import { sameVersion } from '../kubelet/versions.ts'
import type { Answer, OwnNode } from '../ports.ts'

/** What the API server says of this machine. */
export interface NodeEvidence {
  readonly node: OwnNode
  /** Milliseconds since the epoch; undefined when there is no Lease, or when it could not be read. */
  readonly leaseRenewed: number | undefined
  /** Of the kubelet, where the Node says that it serves; undefined when nobody asked. */
  readonly served?: Answer | undefined
}

export interface NodeDemands {
  /** The version that the Node must come to report. */
  readonly version?: string | undefined
  readonly ready: boolean
  /** The kubelet must have reported to this Node since its process was started. */
  readonly heartbeat?: boolean | undefined
  /** The kubelet must serve the API server: logs, exec, metrics. */
  readonly served?: boolean | undefined
}

const SECOND = 1000

/**
 * What of the Node speaks against the kubelet that runs. Ready=True proves something only when it was said by this process: it stays True
 * for 40 s after a kubelet died, or began to report to another Node.
 * @param startedAt wall clock in milliseconds, when the process was started
 */
export function nodeComplaint(evidence: NodeEvidence, demands: NodeDemands, startedAt: number): string | undefined {
  const { node } = evidence
  if (demands.heartbeat && !hasReportedSince(startedAt, evidence)) return noReport(node, startedAt)
  if (demands.version !== undefined && !sameVersion(node.kubeletVersion, demands.version))
    return `the Node reports kubelet "${node.kubeletVersion}", expected "${demands.version}"`
  if (demands.ready && !node.ready) return 'the Node is not Ready'
  return demands.served ? notServed(evidence) : undefined
}

function notServed({ node: { endpoint }, served }: NodeEvidence): string | undefined {
  if (endpoint === undefined || served === undefined || served.ok) return undefined
  const { address, port } = endpoint
  return `the kubelet does not serve at ${address} port ${port}, where the API server comes for logs, exec and metrics: ${served.detail}`
}

/** Heartbeats have whole seconds: in the second of the start itself, only a renewed Lease tells the new process from the old one. */
export function hasReportedSince(startedAt: number, { node: { heartbeat }, leaseRenewed }: NodeEvidence): boolean {
  const second = startOfSecond(startedAt)
  if (heartbeat === undefined || heartbeat < second) return false
  return heartbeat > second || leaseRenewed === undefined || leaseRenewed > startedAt
}

/** The Lease is worth a request only then. */
export function isAmbiguous(startedAt: number, { heartbeat }: OwnNode): boolean {
  return heartbeat === startOfSecond(startedAt)
}

function startOfSecond(instant: number): number {
  return Math.floor(instant / SECOND) * SECOND
}

function noReport({ name, heartbeat }: OwnNode, startedAt: number): string {
  const last = heartbeat === undefined ? 'none' : new Date(heartbeat).toISOString()
  const started = new Date(startedAt).toISOString()
  return `the kubelet has not reported to Node "${name}" since its start at ${started} (last heartbeat: ${last}); a wrong hostname-override, node-ip or kubeconfig does this`
}
