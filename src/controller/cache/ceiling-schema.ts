import * as z from 'zod'
import type { KubeObject } from '../../kube/kube-api.ts'
import { DISRUPTIONS } from '../../protocol/desired-config.ts'
import { API_GROUP, API_VERSION } from '../../protocol/names.ts'
import type { BlastLimits } from '../../render/blast-radius.ts'
import { absolutePath, duration, selector, share } from '../../repo/schema/common.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'

const rule = z.strictObject({
  nodeSelector: selector
    .exactOptional()
    .describe('Nodes that the rule counts for, and the pools that have such nodes. Default: every node.'),
  maxUnavailable: share
    .exactOptional()
    .describe('Nodes of a pool that may be unavailable at once, at most; one is always allowed.'),
  firstWave: z
    .strictObject({
      nodes: z.int().min(1).describe('Nodes of the first wave, at most. A pool that is not larger needs no such wave.'),
      soak: duration.describe('Time that the first wave must stay healthy, at least.'),
    })
    .exactOptional()
    .describe('What the first wave of every rollout must be; it may not tolerate that all its nodes fail.'),
  disruption: z.enum(DISRUPTIONS).exactOptional().describe('The most that a change may disturb a node.'),
  forbiddenPaths: z
    .array(absolutePath)
    .exactOptional()
    .describe('Files and directories that no commit may manage, nor anything below them.'),
})

export const ceilingSpec = z.strictObject({
  rules: z.array(rule).exactOptional().describe('Limits; all that count for a pool must hold.'),
  blastRadius: z
    .strictObject({ maxNodes: share.exactOptional(), maxFilesDeleted: z.int().min(0).exactOptional() })
    .exactOptional()
    .describe('A commit that does more needs promotion, whatever the Fleet of the repository says.'),
})

/** The one Ceiling that counts. */
export const CEILING_NAME = 'fleet'
export const CEILINGS_PATH = `/apis/${API_GROUP}/${API_VERSION}/ceilings`

export interface CeilingView {
  readonly name: string
  readonly namespace: ''
  readonly resourceVersion: string
  readonly ceiling: Ceiling
  readonly blastRadius?: BlastLimits
}

/** Never throws: one that cannot be read allows nothing. */
export function projectCeiling({ metadata, spec }: KubeObject): CeilingView {
  const about = { name: metadata.name, namespace: '' as const, resourceVersion: metadata.resourceVersion ?? '' }
  const result = ceilingSpec.safeParse(spec)
  if (!result.success) {
    const [issue] = result.error.issues
    return {
      ...about,
      ceiling: { rules: [], unreadable: `spec.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}` },
    }
  }
  const { rules = [], blastRadius } = result.data
  const placed = rules.map((limits, index) => ({ place: `spec.rules[${index}]`, ...limits }))
  return { ...about, ceiling: { rules: placed }, ...(blastRadius && { blastRadius }) }
}
