import {
  formatWrittenSettings,
  type NodeSettings,
  parseWrittenSettings,
  type Taint,
  taintName,
} from '../../protocol/node-settings.ts'
import type { Ceiling } from '../../rollout/model/ceiling.ts'
import type { SettingsOnNode } from '../cache/settings-on-node.ts'
import { decidesOfRule } from '../ceilings/rule-labels.ts'

export interface SettingsPatch {
  readonly labels: Readonly<Record<string, string | null>>
  readonly annotations: Readonly<Record<string, string | null>>
  /** Missing: as they are. */
  readonly taints?: readonly Taint[]
}

export interface SettingsContext {
  readonly now: SettingsOnNode
  readonly key: string
  /** Absent: anything is allowed. */
  readonly ceiling?: Ceiling | undefined
}

/**
 * What makes a Node have the settings that Git has: those that are new or changed, and null for what the controller wrote once and Git no
 * longer names. Everything else on the Node belongs to others, and so do labels by which a rule of the Ceiling selects. Pure.
 * @param context.key of the annotation that records what the controller wrote
 */
export function settingsPatch(
  { labels = {}, annotations = {}, taints = [] }: NodeSettings,
  { now, key, ceiling }: SettingsContext,
): SettingsPatch {
  const before = parseWrittenSettings(now.written)
  const record = formatWrittenSettings({ labels, annotations, taints })
  return {
    labels: withoutRuleLabels({ ...withoutValue(before.labels), ...labels }, ceiling),
    annotations: {
      ...withoutValue(before.annotations),
      ...annotations,
      ...((now.written !== undefined || record !== null) && { [key]: record }),
    },
    ...taintsPatch(taints, { before: before.taints ?? [], on: now.taints ?? [] }),
  }
}

function withoutRuleLabels(labels: SettingsPatch['labels'], ceiling: Ceiling | undefined): SettingsPatch['labels'] {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !decidesOfRule(key, ceiling)))
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
