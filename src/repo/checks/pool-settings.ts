import { applyMergePatch, type JsonObject } from '../../protocol/merge-patch.ts'
import type { Draft, Loaded } from '../draft.ts'
import { fieldsByCapacity } from '../expressions/by-capacity.ts'
import { mergeMaps } from '../flag-maps.ts'
import { asFieldValue } from '../kubelet-knowledge/flag-as-field.ts'
import { knowledgeOf } from '../kubelet-knowledge/knowledge.ts'
import type { Flags, FlagValue } from '../schema/common.ts'
import type { KubeletConfigSpec } from '../schema/kubelet-config.ts'
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
export function flagsOf(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): ReadonlyMap<string, FlagSetting> {
  const [fleet] = documents.Fleet.values()
  const isMerged = fleet?.spec.mapFlags === 'Merge'
  const found = new Map<string, FlagSetting>()
  for (const [flag, { value, place }] of flagPlaces(pool, documents)) {
    const earlier = isMerged ? found.get(flag)?.value : undefined
    const merged = earlier === undefined ? undefined : mergeMaps(flag, earlier, value)
    found.set(flag, { value: merged ?? value, place })
  }
  return found
}

export interface FlagSetting {
  readonly value: FlagValue
  readonly place: SettingPlace
}

/** Every place that states a flag for the pool, a later one over an earlier one. */
export function flagPlaces(pool: Loaded<NodePoolSpec>, { FlagSet }: Draft['documents']): (readonly [string, FlagSetting])[] {
  const { flagSets = [], flags = {} } = pool.spec.kubelet ?? {}
  const sets = flagSets.flatMap((name) => FlagSet.get(name) ?? [])
  const placed = (document: Loaded<unknown>, path: Path, stated: Flags) =>
    Object.entries(stated).map(([flag, value]) => [flag, { value, place: { document, path: [...path, flag] } }] as const)
  return [...sets.flatMap((set) => placed(set, ['flags'], set.spec.flags)), ...placed(pool, ['kubelet', 'flags'], flags)]
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
  const parts = configs.flatMap(fieldsIn)
  const merged = parts.reduce<JsonObject>((config, { fields }) => applyMergePatch(config, fields as JsonObject), {})
  const places = placesIn(parts)
  const found = new Map<string, Setting>()
  visitMembers(merged, (path, value) => {
    const place = places.get(path.join('.'))
    if (place !== undefined) found.set(path.join('.'), { value, place })
  })
  return found
}

interface StatedFields {
  readonly document: Loaded<unknown>
  readonly base: Path
  readonly fields: object
}

/** What a document states itself, and what its table comes to. */
function fieldsIn(document: Loaded<KubeletConfigSpec>): StatedFields[] {
  const { config, byCapacity } = document.spec
  const stated = { document, base: ['config'], fields: config }
  return byCapacity ? [stated, { document, base: ['byCapacity'], fields: fieldsByCapacity(byCapacity) }] : [stated]
}

function placesIn(parts: readonly StatedFields[]): ReadonlyMap<string, SettingPlace> {
  const found = new Map<string, SettingPlace>()
  for (const { document, base, fields } of parts)
    visitMembers(fields, (path) => found.set(path.join('.'), { document, path: [...base, ...path] }))
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
