import {
  formatWrittenSettings,
  type NodeSettings,
  parseWrittenSettings,
  type Taint,
  taintName,
} from '../../protocol/node-settings.ts'

/** What is on a Node now, as far as it matters. */
export interface SettingsOnNode {
  /** The record of what the controller wrote. */
  readonly written?: string | undefined
  readonly taints?: readonly Taint[] | undefined
}

export interface SettingsPatch {
  readonly labels: Readonly<Record<string, string | null>>
  readonly annotations: Readonly<Record<string, string | null>>
  /** Missing: as they are. */
  readonly taints?: readonly Taint[]
}

/**
 * What makes a Node have the settings that Git has: those that are new or changed, and null for what the controller wrote once and Git no
 * longer names. Everything else on the Node belongs to others. Pure.
 * @param key of the annotation that records what the controller wrote
 */
export function settingsPatch(
  { labels = {}, annotations = {}, taints = [] }: NodeSettings,
  { now, key }: { readonly now: SettingsOnNode; readonly key: string },
): SettingsPatch {
  const before = parseWrittenSettings(now.written)
  const record = formatWrittenSettings({ labels, annotations, taints })
  return {
    labels: { ...withoutValue(before.labels), ...labels },
    annotations: {
      ...withoutValue(before.annotations),
      ...annotations,
      ...((now.written !== undefined || record !== null) && { [key]: record }),
    },
    ...taintsPatch(taints, { before: before.taints ?? [], on: now.taints ?? [] }),
  }
}

function withoutValue(keys: readonly string[] = []): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]))
}

/** The list is written as a whole: the patch names the version of the Node that it was read from. */
function taintsPatch(
  wanted: readonly Taint[],
  { before, on }: { readonly before: readonly string[]; readonly on: readonly Taint[] },
): { readonly taints?: readonly Taint[] } {
  const ours = new Set([...before, ...wanted.map(taintName)])
  if (ours.size === 0) return {}
  const others = on.filter((taint) => !ours.has(taintName(taint)))
  return { taints: [...others, ...wanted] }
}
