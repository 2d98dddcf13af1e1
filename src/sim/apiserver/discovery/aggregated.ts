import type { JsonObject } from '../json.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { groupVersion } from '../resources/resource-type.ts'
import { newestFirst } from './legacy.ts'
import { verbsOf } from './verbs.ts'

/** Everything that is served, in one document: what kubectl asks for first. */
export function aggregatedDiscovery(types: readonly ResourceType[], root: 'api' | 'apis'): JsonObject {
  const served = types.filter((type) => (type.group === '') === (root === 'api'))
  const groups = Map.groupBy(served, (type) => type.group)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [...groups].map(([name, members]) => ({ metadata: { name }, versions: versionsOf(members) })),
  }
}

function versionsOf(types: readonly ResourceType[]): JsonObject[] {
  const versions = [...Map.groupBy(types, (type) => type.version)].sort(([a], [b]) => newestFirst(a, b))
  return versions.map(([version, members]) => ({ version, resources: members.map(describe), freshness: 'Current' }))
}

function describe(type: ResourceType): JsonObject {
  const { kind, shortNames, categories } = type
  // An empty group and version are those of the document around it.
  const responseKind = type.custom ? { group: type.group, version: type.version, kind } : { group: '', version: '', kind }
  const subresources = [
    ...(type.hasStatus ? [{ subresource: 'status', responseKind, verbs: ['get', 'patch', 'update'] }] : []),
    ...(kind === 'Pod' && groupVersion(type) === 'v1'
      ? [{ subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] }]
      : []),
  ]
  return {
    resource: type.plural,
    responseKind,
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: verbsOf(type),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  }
}
