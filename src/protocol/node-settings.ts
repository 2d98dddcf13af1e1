import * as z from 'zod/mini'
import { readOnce } from './read-once.ts'

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

const taint = z.object({ key: z.string(), value: z.optional(z.string()), effect: z.string() })
export type Taint = z.infer<typeof taint>

const texts = z.record(z.string(), z.string())

/** What the Node object has besides what is ours: the `node` section of the host document. The controller writes it, with the assignment. */
export const nodeSettings = z.strictObject({
  labels: z.optional(texts),
  annotations: z.optional(texts),
  taints: z.optional(z.array(taint)),
})
export type NodeSettings = z.infer<typeof nodeSettings>

const written = z.object({
  labels: z.optional(z.array(z.string())),
  annotations: z.optional(z.array(z.string())),
  /** Key and effect: a Node has both together once. */
  taints: z.optional(z.array(z.string())),
})

/** Which of a Node's keys and taints the controller wrote: these, and no others, it takes away again. */
export type WrittenSettings = z.infer<typeof written>

const MAX_WRITTEN = 64 * 1024

/** @returns none when there is none, or what stands there is not ours */
export function parseWrittenSettings(annotation: string | undefined): WrittenSettings {
  if (annotation === undefined || annotation.length > MAX_WRITTEN) return {}
  try {
    const result = written.safeParse(JSON.parse(annotation))
    return result.success ? result.data : {}
  } catch {
    return {}
  }
}

/** @returns null when nothing of the Node is ours */
export function formatWrittenSettings({ labels = {}, annotations = {}, taints = [] }: NodeSettings): string | null {
  const keys = {
    labels: Object.keys(labels).sort(),
    annotations: Object.keys(annotations).sort(),
    taints: taints.map(taintName).sort(),
  }
  const some = Object.entries(keys).filter(([, list]) => list.length > 0)
  return some.length === 0 ? null : JSON.stringify(Object.fromEntries(some))
}

export function taintName({ key, effect }: Pick<Taint, 'key' | 'effect'>): string {
  return `${key}:${effect}`
}

/** Of a host document. Nodes mostly share theirs. */
export const settingsIn = readOnce((host: string): NodeSettings => {
  const { node } = JSON.parse(host) as { readonly node?: unknown }
  return node === undefined ? {} : nodeSettings.parse(node)
})
