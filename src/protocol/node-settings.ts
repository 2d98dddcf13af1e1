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
  /** When what others changed was written again, RFC 3339, by subject: `label tier`. */
  repairs: z.optional(z.record(z.string(), z.array(z.string()))),
  /** Subjects that are not as in Git, and stay so. */
  drift: z.optional(z.array(z.string())),
  /** What somebody changes each time that it is written again, and who that is as far as the Node tells. Until the next assignment. */
  contested: z.optional(z.record(z.string(), z.string())),
})

/** Which of a Node's keys and taints the controller wrote: these, and no others, it takes away again. And what became of them since. */
export type WrittenSettings = z.infer<typeof written>

const MAX_WRITTEN = 64 * 1024

const readWritten = readOnce((annotation): WrittenSettings => {
  if (annotation.length > MAX_WRITTEN) return {}
  try {
    const result = written.safeParse(JSON.parse(annotation))
    return result.success ? result.data : {}
  } catch {
    return {}
  }
})

/** @returns none when there is none, or what stands there is not ours */
export function parseWrittenSettings(annotation: string | undefined): WrittenSettings {
  return annotation === undefined ? {} : readWritten(annotation)
}

/** What became of them since they were written. */
export type SettingsHistory = Pick<WrittenSettings, 'repairs' | 'drift' | 'contested'>

/** @returns null when nothing of the Node is ours */
export function formatWrittenSettings(
  { labels = {}, annotations = {}, taints = [] }: NodeSettings,
  { repairs = {}, drift = [], contested = {} }: SettingsHistory = {},
): string | null {
  const keys = {
    labels: Object.keys(labels).sort(),
    annotations: Object.keys(annotations).sort(),
    taints: taints.map(taintName).sort(),
    repairs,
    drift,
    contested,
  }
  const some = Object.entries(keys).filter(([, value]) => Object.keys(value).length > 0)
  if (some.length === 0) return null
  const text = JSON.stringify(Object.fromEntries(some))
  // A record that is too long to be read would say nothing at all.
  return text.length <= MAX_WRITTEN
    ? text
    : JSON.stringify({ labels: keys.labels, annotations: keys.annotations, taints: keys.taints })
}

/** What others fight for now, with who does where the API server noted that: `label tier (by kubectl-label)`. */
export function contestedSettings({ contested = {}, drift = [] }: WrittenSettings): readonly string[] {
  const among = Object.entries(contested).filter(([subject]) => drift.includes(subject))
  return among.map(([subject, manager]) => (manager === '' ? subject : `${subject} (by ${manager})`))
}

export function taintName({ key, effect }: Pick<Taint, 'key' | 'effect'>): string {
  return `${key}:${effect}`
}

/** Of a host document. Nodes mostly share theirs. */
export const settingsIn = readOnce((host: string): NodeSettings => {
  const { node } = JSON.parse(host) as { readonly node?: unknown }
  return node === undefined ? {} : nodeSettings.parse(node)
})
