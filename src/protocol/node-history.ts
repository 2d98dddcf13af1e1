import * as z from 'zod/mini'
import { AGENT_PHASES } from './agent-status.ts'

/** What a node was brought to once, and how that ended. */
const nodeRun = z.object({
  /** The first twelve characters of the commit. */
  revision: z.string(),
  /** The kubelet's, as the agent reported it. */
  version: z.optional(z.string()),
  /** RFC 3339; when it was assigned. */
  from: z.optional(z.string()),
  /** RFC 3339; when the agent ended the work. */
  done: z.optional(z.string()),
  /** RFC 3339; when something else was assigned. */
  until: z.string(),
  /** How far the agent had come by then; absent when it said nothing about it. */
  phase: z.optional(z.enum(AGENT_PHASES)),
  /** Of a failure. */
  reason: z.optional(z.string()),
})
export type NodeRun = z.infer<typeof nodeRun>

const KEPT = 8
export const MAX_NODE_HISTORY = 8 * 1024

/** Newest first. @returns none when there is none, or what stands there is not ours. */
export function parseNodeHistory(annotation: string | undefined): readonly NodeRun[] {
  if (annotation === undefined || annotation.length > MAX_NODE_HISTORY) return []
  try {
    const result = z.array(nodeRun).safeParse(JSON.parse(annotation))
    return result.success ? result.data : []
  } catch {
    return []
  }
}

/** The history with one more run on top; the oldest beyond eight is forgotten. */
export function addToNodeHistory(annotation: string | undefined, run: NodeRun): string {
  return JSON.stringify([run, ...parseNodeHistory(annotation)].slice(0, KEPT))
}
