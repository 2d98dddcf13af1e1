import type { PolicyOptions } from '../../builders/policies.ts'
import type { Content } from './contents.ts'

export const TO_POOLS = ['rollback', 'resume', 'retry', 'promote', 'pause', 'status lost'] as const
export const TO_NODES = [
  'goes down',
  'comes back',
  'is replaced',
  'moves on',
  'leaves all pools',
  'is held',
  'is released',
  'falls silent',
  'speaks again',
  'is cordoned',
  'is uncordoned',
  'keeps its pods',
  'is labelled',
  'is to reboot',
] as const
export const TO_FLEET = [
  'clock ahead',
  'clock back',
  'restart',
  'fleet pause',
  'fleet resume',
  'fleet retry',
  'gates fail',
  'gates pass',
  'an hour',
] as const

export interface FleetOptions {
  readonly pools: readonly { readonly nodes: number; readonly policy: PolicyOptions }[]
  readonly maxUnavailable?: number
  readonly maxFailures?: number
  readonly isControlPlane?: boolean
  /** A template reads a label of the nodes. */
  readonly isByLabel?: boolean
}

/**
 * How a pass goes. answers lost: every second write of a node does not arrive. late: it sees the nodes as they were a minute ago.
 * refused: the writes for pool a are refused.
 */
export type Fate = 'sound' | 'answers lost' | 'late' | 'refused'

export interface Step {
  readonly what: string
  readonly content: Content
  readonly pool: number
  readonly node: number
  readonly passes: number
  readonly fate: Fate
}
