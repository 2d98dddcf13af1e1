import { LESS_THAN_FLAGS } from './kubelet-knowledge/flag-as-field.ts'
import { knowledgeOf } from './kubelet-knowledge/knowledge.ts'
import type { Flags, FlagValue } from './schema/common.ts'
import type { FleetSpec } from './schema/fleet.ts'

/** What a later layer does to the map of an earlier one. */
export type MapFlags = NonNullable<FleetSpec['mapFlags']>

/** What repositories without a word about it have always had: a node must not get other flags by an upgrade of nodewave. */
export const DEFAULT_MAP_FLAGS: MapFlags = 'Replace'

/** By key. null: a later layer removes the key. */
export type FlagEntries = ReadonlyMap<string, string | number | boolean | null>

const TAINTS = 'register-with-taints'
const KNOWN_MAPS: ReadonlySet<string> = new Set([
  TAINTS,
  ...[...knowledgeOf(undefined).flags].filter(([, { type }]) => type.startsWith('mapString')).map(([name]) => name),
])

/** A kubelet reads the flag as a map, however it is written. */
export function isMapFlag(name: string): boolean {
  return KNOWN_MAPS.has(name)
}

/** The members of a map, also where it is written as text or as a list; of taints by key and effect. @returns undefined for what is no map */
export function flagEntries(name: string, value: FlagValue): FlagEntries | undefined {
  if (name === TAINTS) return taintEntries(value)
  if (typeof value === 'object' && !Array.isArray(value)) return new Map(Object.entries(value))
  if (!isMapFlag(name)) return undefined
  const pairs = itemsOf(value)?.map((item) => splitAt(item, LESS_THAN_FLAGS.has(name) ? '<' : '='))
  return pairs?.every((pair) => pair !== undefined) ? new Map(pairs) : undefined
}

export interface StatedFlag {
  /** The name; of a map that is merged the key, too. */
  readonly path: readonly string[]
  readonly value: FlagValue | null
}

/** Each value that can be overridden by itself. */
export function statedFlags(flags: Flags = {}, maps: MapFlags = DEFAULT_MAP_FLAGS): StatedFlag[] {
  return Object.entries(flags).flatMap(([name, value]): StatedFlag[] => {
    const entries = maps === 'Merge' ? flagEntries(name, value) : undefined
    return entries === undefined
      ? [{ path: [name], value }]
      : [...entries].map(([key, member]) => ({ path: [name, key], value: member }))
  })
}

/** The later value over the earlier one. @returns undefined where one of them is no map: then the later one replaces the earlier. */
export function mergeMaps(name: string, earlier: FlagValue, later: FlagValue): FlagValue | undefined {
  const [before, after] = [flagEntries(name, earlier), flagEntries(name, later)]
  if (before === undefined || after === undefined) return undefined
  const merged = new Map(before)
  for (const [key, value] of after) {
    if (value !== null) merged.set(key, value)
    else for (const found of keysRemovedBy(name, key, merged)) merged.delete(found)
  }
  return flagOf(name, merged)
}

/** Without the keys that only remove something. @returns undefined when nothing is left of a map that had any */
export function withoutRemovals(name: string, value: FlagValue): FlagValue | undefined {
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.every(([, member]) => member !== null)) return value
  const left = flagOf(name, new Map(entries.filter(([, member]) => member !== null)))
  return isEmptyMap(left) ? undefined : left
}

export function isEmptyMap(value: FlagValue): boolean {
  return typeof value === 'object' && Object.keys(value).length === 0
}

function flagOf(name: string, entries: FlagEntries): FlagValue {
  if (name !== TAINTS) return Object.fromEntries(entries)
  const texts = [...entries].map(([key, value]) => taintText(key, value))
  return texts.sort()
}

/** Every effect of a key, where only the key is named. */
function keysRemovedBy(name: string, key: string, entries: FlagEntries): string[] {
  return [...entries.keys()].filter((each) => each === key || (name === TAINTS && each.startsWith(`${key}:`)))
}

/** `key=value:effect`, `key:effect`, or a map of `key: "value:effect"`. */
function taintEntries(value: FlagValue): FlagEntries | undefined {
  const isMap = typeof value === 'object' && !Array.isArray(value)
  const removed = isMap ? Object.entries(value).filter(([, member]) => member === null) : []
  const items = isMap
    ? Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [`${key}=${member}`]))
    : itemsOf(value)
  const taints = items?.map((item) => /^([^=:]+)(?:=([^:]*))?:([A-Za-z]+)$/.exec(item))
  if (!taints?.every((taint) => taint !== null)) return undefined
  const stated = taints.map(([, key, text = '', effect]): [string, string] => [`${key}:${effect}`, text])
  return new Map<string, string | null>([...stated, ...removed.map(([key]): [string, null] => [key, null])])
}

function taintText(name: string, value: unknown): string {
  const [key = '', effect = ''] = name.split(':')
  return value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`
}

/** What is filled in later may have a comma in it. */
function itemsOf(value: FlagValue): string[] | undefined {
  const text = Array.isArray(value) ? value.join(',') : String(value)
  if (text.includes('{{')) return undefined
  return text.split(',').flatMap((item) => item.trim() || [])
}

function splitAt(pair: string, separator: string): [string, string] | undefined {
  const at = pair.indexOf(separator)
  return at < 1 ? undefined : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}
