import { parse } from 'yaml'
import { canonicalJson, type Json, type NodeContent } from '../protocol/digest.ts'
import { splitFlagString } from '../protocol/flag-string.ts'
import { isJsonObject, type JsonObject } from '../protocol/merge-patch.ts'
import { own } from '../protocol/own.ts'
import { shownSecrets } from '../protocol/secret-document.ts'
import { flagEntries, isMapFlag } from '../repo/flag-maps.ts'

/** One thing that differs; undefined on a side where it is not there. */
export interface ContentChange {
  /** `version`; `flags`, then the name; `config`, then the way to the field; `host`, then `files`, the path, `mode`; `secrets`, then the path. */
  readonly path: readonly string[]
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** What changes between two contents, sorted within version, flags, configuration and host; empty when they are equal. */
export function diffContent(from: NodeContent | undefined, to: NodeContent): ContentChange[] {
  const version = compare(['version'], from?.version, to.version)
  return [
    ...version,
    ...diffFlags(from, to).flatMap(byKey),
    ...diffConfig(from?.config, to.config),
    // Where the version changes, so do URL and checksum of its binary, or its package and the repository of that: nothing more to tell.
    ...diffHost(from?.host, to.host).filter(({ path }) => version.length === 0 || !isOfBinary(path)),
    ...diffSecrets(from?.secret, to.secret),
  ]
}

export function diffFlags(from: NodeContent | undefined, to: NodeContent): ContentChange[] {
  if (from?.flags === to.flags && from?.opts === to.opts) return []
  return compare(['flags'], flagsOf(from), flagsOf(to))
}

/** One change for each key of a map that differs. A map that is only written in another order stays one change. */
function byKey(change: ContentChange): ContentChange[] {
  const [from, to] = [entriesOf(change.path, change.from), entriesOf(change.path, change.to)]
  if (from === undefined || to === undefined) return [change]
  const changes = compare(change.path, from, to)
  return changes.length === 0 ? [change] : changes
}

/** @returns undefined for what is no map */
function entriesOf([, name = '']: readonly string[], value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return {}
  const entries = isMapFlag(name) && typeof value === 'string' ? flagEntries(name, value) : undefined
  return entries && Object.fromEntries(entries)
}

export function diffConfig(from: string | undefined, to: string | undefined): ContentChange[] {
  return from === to ? [] : compare(['config'], fieldsOf(from), fieldsOf(to))
}

export function diffHost(from: string | undefined, to: string | undefined): ContentChange[] {
  return from === to ? [] : compare(['host'], hostOf(from), hostOf(to))
}

/** Only their hashes: what a change shows ends up in plans, conditions and logs. */
export function diffSecrets(from: string | undefined, to: string | undefined): ContentChange[] {
  return from === to ? [] : compare(['secrets'], shownSecrets(from), shownSecrets(to))
}

export function isOfBinary([part, section, key]: ContentChange['path']): boolean {
  if (part !== 'host') return false
  if (section === 'kubelet') return key === 'binary' || key === 'package'
  return section === 'repositories' && key?.startsWith('release-') === true
}

function compare(path: readonly string[], from: Json | undefined, to: Json | undefined): ContentChange[] {
  if (!isObjectOrAbsent(from) || !isObjectOrAbsent(to)) return isSame(from, to) ? [] : [{ path, from, to }]
  const keys = new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])
  if (keys.size === 0 && isSame(from, to)) return []
  if (keys.size === 0) return [{ path, from, to }]
  return [...keys].sort().flatMap((key) => compare([...path, key], from && own(from, key), to && own(to, key)))
}

function isObjectOrAbsent(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isJsonObject(value)
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
}

/** By name, without dashes; where a flag is given twice, the last counts. */
function flagsOf(content: NodeContent | undefined): JsonObject {
  const args = splitFlagString(`${content?.flags ?? ''} ${content?.opts ?? ''}`)
  return Object.fromEntries(args.map((arg) => /^-{0,2}([^=]*)=?(.*)$/s.exec(arg)?.slice(1) ?? [arg, '']))
}

/** What was rendered has no key twice, and the parser would compare each with each. */
const RENDERED = { uniqueKeys: false }

function fieldsOf(config: string | undefined): JsonObject {
  const { apiVersion, kind, ...fields } = config === undefined ? {} : (parse(config, RENDERED) as Record<string, Json>)
  return fields
}

/** Lists become maps by what names their items, so that one file more is one change and not a shift of all others. */
function hostOf(host: string | undefined): JsonObject {
  const parts = host === undefined ? {} : (JSON.parse(host) as Record<string, Json>)
  return Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, byName(value)]))
}

function byName(value: Json): Json {
  if (!Array.isArray(value)) return value
  const items = value
    .filter((item: Json) => isJsonObject(item))
    .map((item: JsonObject) => [item.path ?? item.name ?? item.url, item] as const)
  if (items.length < value.length || items.length === 0) return value
  return Object.fromEntries(items.map(([name, item]) => [String(name), item]))
}
