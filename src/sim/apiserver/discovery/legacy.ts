import type { JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { verbsOf } from './verbs.ts'

/** /api */
export function apiVersions(host: string): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }] }
}

/** /apis */
export function groupList(types: readonly ResourceType[]): JsonObject {
  const groups = [...new Set(types.map((type) => type.group))].filter((group) => group !== '')
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => describeGroup(types, group)) }
}

/** /apis/GROUP @returns undefined when nothing is served in it */
export function groupOf(types: readonly ResourceType[], group: string): JsonObject | undefined {
  if (!types.some((type) => type.group === group)) return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(types, group) }
}

function describeGroup(types: readonly ResourceType[], name: string): JsonObject {
  const versions = [...new Set(types.filter((type) => type.group === name).map((type) => type.version))]
    .sort(newestFirst)
    .map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions, preferredVersion: versions[0] }
}

/** Stable before beta before alpha, then higher numbers first. */
export function newestFirst(a: string, b: string): number {
  const rank = (version: string) => {
    const [, major = '0', stage = '', minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
    return ['alpha', 'beta', ''].indexOf(stage) * 1e6 + Number(major) * 1e3 + Number(minor)
  }
  return rank(b) - rank(a)
}

/** /api/v1 and /apis/GROUP/VERSION @returns undefined when nothing is served in it */
export function resourceList(
  types: readonly ResourceType[],
  at: { readonly group: string; readonly version: string },
): JsonObject | undefined {
  const served = types.filter((type) => type.group === at.group && type.version === at.version)
  if (served.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(at.group ? { apiVersion: 'v1' } : {}),
    groupVersion: groupVersion(at),
    resources: served.flatMap(describeResource),
  }
}

function describeResource(type: ResourceType): JsonObject[] {
  const { kind, namespaced, plural, singular, shortNames, categories } = type
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  }
  const subresource = (name: string, more: JsonObject) => ({ name: `${plural}/${name}`, singularName: '', namespaced, ...more })
  return [
    main,
    ...(type.hasStatus ? [subresource('status', { kind, verbs: ['get', 'patch', 'update'] })] : []),
    ...(kind === 'Pod' ? [subresource('eviction', { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] })] : []),
  ]
}
