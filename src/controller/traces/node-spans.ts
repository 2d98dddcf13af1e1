import { foreignText } from '../../protocol/foreign-text.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { Assignment, NodeView } from '../../rollout/model/node-view.ts'
import { rootSpanId, type Span, spanIdOf } from './span.ts'

export interface NodeRun {
  readonly traceId: string
  /** Of the wave that was open when the node was assigned; absent: it is not known. */
  readonly parent?: string | undefined
  /** When it was cordoned for this assignment; absent: it was not. */
  readonly cordonedAt?: Instant | undefined
}

/** How an assignment ended on its node. */
export interface NodeEnd {
  readonly assigned: Assignment & { readonly at: Instant }
  readonly appliedAt: Instant
  readonly end: Instant
  readonly phase: string
  readonly error?: string
}

const ENDED: ReadonlySet<string> = new Set(['Applied', 'RolledBack', 'Failed'])
const LONGEST = 1000

/** @returns undefined while its agent works, or a pod has to prove it. Times of nodes are by their own clocks. */
export function nodeEnd({ assigned, status, proof }: NodeView, now: Instant): NodeEnd | undefined {
  if (assigned?.at === undefined || status === undefined || !ENDED.has(status.phase)) return undefined
  const { at } = assigned
  if (status.digest !== assigned.digest || Date.parse(status.assignedAt ?? '') !== at) return undefined
  const isProof = proof?.digest === assigned.digest && proof.assignedAt === at
  if (isProof && proof.state === 'Wanted' && status.phase === 'Applied') return undefined
  const within = (instant: Instant, first: Instant) => Math.min(Math.max(first, instant || first), Math.max(first, now))
  const appliedAt = within(Date.parse(status.since), at)
  const failed = isProof && proof.state === 'Failed' ? (proof.message ?? 'no pod runs on the node') : undefined
  const error = status.phase === 'Applied' ? failed : `${status.error?.reason ?? status.phase}: ${status.error?.message ?? ''}`
  return {
    assigned: { ...assigned, at },
    appliedAt,
    end: isProof && status.phase === 'Applied' ? within(proof.endedAt ?? appliedAt, appliedAt) : appliedAt,
    phase: status.phase,
    ...(error !== undefined && { error: foreignText(error, LONGEST) }),
  }
}

export function nodeSpanId(traceId: string, { name }: NodeView, { at }: { readonly at: Instant }): string {
  return spanIdOf(traceId, 'node', name, String(at))
}

/** The way of one node: drain, apply, proof, each where there was one. */
export function nodeSpans(node: NodeView, ended: NodeEnd, { traceId, parent, cordonedAt }: NodeRun): readonly Span[] {
  const { assigned, appliedAt, end, phase, error } = ended
  const spanId = nodeSpanId(traceId, node, assigned)
  const start = Math.min(cordonedAt ?? assigned.at, assigned.at)
  const didApply = phase === 'Applied'
  const failed = error === undefined ? {} : { error }
  const step = (name: string, from: Instant, to: Instant, more: { readonly error?: string } = {}): Span => {
    const attributes = { 'k8s.node.name': node.name }
    return { traceId, spanId: spanIdOf(spanId, name), parentSpanId: spanId, name, start: from, end: to, attributes, ...more }
  }
  return [
    {
      ...{ traceId, spanId, parentSpanId: parent ?? rootSpanId(traceId), name: `node ${node.name}`, start, end },
      attributes: {
        'k8s.node.name': node.name,
        'nodewave.pool': assigned.pool,
        'nodewave.revision': assigned.revision,
        'nodewave.phase': phase,
        'nodewave.kubelet.version': node.kubeletVersion,
      },
      ...failed,
    },
    ...(start < assigned.at ? [step('drain', start, assigned.at)] : []),
    step('apply', assigned.at, appliedAt, didApply ? {} : failed),
    ...(end > appliedAt ? [step('proof', appliedAt, end, failed)] : []),
  ]
}
