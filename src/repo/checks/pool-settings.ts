import { applyMergePatch, type JsonObject } from '../../protocol/merge-patch.ts'
import type { Draft, Loaded } from '../draft.ts'
import { asFieldValue } from '../kubelet-knowledge/flag-as-field.ts'
import { knowledgeOf } from '../kubelet-knowledge/knowledge.ts'
import type { FlagValue } from '../schema/common.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'

/** Where something is set, the last place that does. */
export interface SettingPlace {
  readonly document: Loaded<unknown>
  readonly path: Path
}

export interface Setting {
  readonly value: unknown
  readonly place: SettingPlace
}

/** What a pool's documents make of the kubelet's configuration, by path of the field; flags are on top, as the kubelet has them. */
export function settingsOf(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): ReadonlyMap<string, Setting> {
  const found = new Map(fieldSettings(pool, documents))
  for (const [name, { value, place }] of flagsOf(pool, documents))
    for (const [path, asField] of asFields(name, value, pool.spec.kubelet?.version)) found.set(path, { value: asField, place })
  return found
}

/** Flags of the pool's sets, and its own on top. */
export function flagsOf(
  pool: Loaded<NodePoolSpec>,
  { FlagSet }: Draft['documents'],
): ReadonlyMap<string, { readonly value: FlagValue; readonly place: SettingPlace }> {
  const { flagSets = [], flags = {} } = pool.spec.kubelet ?? {}
  const found = new Map<string, { readonly value: FlagValue; readonly place: SettingPlace }>()
  for (const set of flagSets.flatMap((name) => FlagSet.get(name) ?? []))
    for (const [flag, value] of Object.entries(set.spec.flags))
      found.set(flag, { value, place: { document: set, path: ['flags', flag] } })
  for (const [flag, value] of Object.entries(flags))
    found.set(flag, { value, place: { document: pool, path: ['kubelet', 'flags', flag] } })
  return found
}

/** A flag as fields of the configuration: one, or each of its gates. */
export function asFields(name: string, value: FlagValue, version: string | undefined): (readonly [string, unknown])[] {
  const flag = knowledgeOf(version).flags.get(name)
  const asField = flag === undefined ? undefined : asFieldValue({ name, value, type: flag.type })
  if (asField === undefined) return []
  if (name === 'feature-gates')
    return Object.entries(asField as object).map(([gate, on]) => [`featureGates.${gate}`, String(on).toLowerCase() === 'true'])
  return flag === undefined || flag.field === '' ? [] : [[flag.field, asField]]
}

/** What configuration documents say, and where; what a later one takes out is not said. */
export function fieldsOf(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): ReadonlyMap<string, SettingPlace> {
  return new Map([...fieldSettings(pool, documents)].map(([path, { place }]) => [path, place]))
}

function fieldSettings(pool: Loaded<NodePoolSpec>, { KubeletConfig }: Draft['documents']): ReadonlyMap<string, Setting> {
  const configs = (pool.spec.kubelet?.config ?? []).flatMap((name) => KubeletConfig.get(name) ?? [])
  const merged = configs.reduce<JsonObject>((config, { spec }) => applyMergePatch(config, spec.config as JsonObject), {})
  const places = placesIn(configs)
  const found = new Map<string, Setting>()
  visitMembers(merged, (path, value) => {
    const place = places.get(path.join('.'))
    if (place !== undefined) found.set(path.join('.'), { value, place })
  })
  return found
}

function placesIn(configs: readonly Loaded<{ readonly config: object }>[]): ReadonlyMap<string, SettingPlace> {
  const found = new Map<string, SettingPlace>()
  for (const document of configs)
    visitMembers(document.spec.config, (path) => found.set(path.join('.'), { document, path: ['config', ...path] }))
  return found
}

/** Every member of every map, the maps among them. */
export function visitMembers(
  value: object,
  visit: (path: readonly string[], value: unknown) => void,
  path: readonly string[] = [],
): void {
  for (const [key, member] of Object.entries(value)) {
    visit([...path, key], member)
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) visitMembers(member, visit, [...path, key])
  }
}
