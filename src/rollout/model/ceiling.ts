import { atMost, type Disruption } from '../../protocol/desired-config.ts'
import { type NodeSelector, selectsLabels } from '../../protocol/node-selector.ts'
import type { NodeView } from './node-view.ts'
import type { Share } from './policy.ts'
import { resolveShare } from './share.ts'

/** What an administrator of the cluster lets every commit do at most. The repository cannot change it. */
export interface Ceiling {
  readonly rules: readonly CeilingRule[]
  /** Why it cannot be read; then nothing is allowed. */
  readonly unreadable?: string
  /** How to make it readable. */
  readonly remedy?: string
}

/** A rule counts for a pool of which it selects a node, and for the content of the nodes that it selects. */
export interface CeilingRule {
  /** As it stands in the object: `spec.rules[0]`. */
  readonly place: string
  /** Absent: every node. Labels, not names of pools: a commit can rename a pool. */
  readonly nodeSelector?: NodeSelector | undefined
  readonly maxUnavailable?: Share | undefined
  /** The first wave that has nodes: at most so many, healthy for so many milliseconds. */
  readonly firstWave?: { readonly nodes: number; readonly soak: number } | undefined
  readonly disruption?: Disruption | undefined
  /** Absolute paths; what is below one is forbidden, too. */
  readonly forbiddenPaths?: readonly string[] | undefined
}

/** Nodes that may be unavailable; one is always allowed. */
export function allowedBy(limit: Share, nodes: number): number {
  return Math.max(1, resolveShare(limit, nodes))
}

export function selects({ nodeSelector }: CeilingRule, { labels }: Pick<NodeView, 'labels'>): boolean {
  return nodeSelector === undefined || selectsLabels(nodeSelector, labels)
}

export function disruptionViolation({ place, disruption }: CeilingRule, needed: Disruption): string | undefined {
  if (disruption === undefined || atMost(needed, disruption)) return undefined
  return `the change needs "${needed}", and at most "${disruption}" is allowed; ${ceilingRemedy(`${place}.disruption`)}`
}

export function ceilingRemedy(place: string): string {
  return `change it in the repository, or ask an administrator to change ${place} of the Ceiling "fleet"`
}
