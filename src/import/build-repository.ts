import { canonicalJson } from '../protocol/digest.ts'
import { describeNode } from './describe-node.ts'
import { describePool, type PoolDescription } from './describe-pool.ts'
import { common, isEmpty, without } from './factor.ts'
import { groupNodes, SHARED_NAME } from './group-nodes.ts'
import { hostFiles, sharedHost, withoutShared } from './host-documents.ts'
import type { ImportSubject, JsonObject, PackagedKubelet } from './subject.ts'
import { kubeletDocument, remarkLines, repoDocument } from './yaml-document.ts'

export interface ImportedRepository {
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>
  readonly pools: readonly PoolDescription[]
}

const RELEASE = 'upstream'
/** Of packages: of a repository that each host has already. */
type Packages = ReadonlyMap<string, PackagedKubelet>

/** Pure: the repository that says what these nodes run. */
export function buildRepository(subjects: readonly ImportSubject[]): ImportedRepository {
  const groups = groupNodes(subjects.map(describeNode))
  const pools = releasable(groups.map((group) => describePool(group, groups)))
  const packages = packagesOf(pools)
  const shared = {
    flags: pools.length > 1 ? common(pools.map(({ flags }) => flags)) : {},
    config: common(pools.map(({ config }) => config)) as JsonObject,
    host: sharedHost(pools),
  }
  return {
    pools,
    files: {
      'fleet.yaml': fleetDocument(),
      ...(isEmpty(shared.flags)
        ? {}
        : { [`flags/${SHARED_NAME}.yaml`]: repoDocument('FlagSet', { flags: shared.flags }, { name: SHARED_NAME }) }),
      ...(isEmpty(shared.config)
        ? {}
        : { [`config/${SHARED_NAME}.yaml`]: kubeletDocument(shared.config, { name: SHARED_NAME }) }),
      ...releaseFiles(pools),
      ...packageReleases(packages),
      ...hostFiles(pools, shared.host),
      ...Object.assign({}, ...pools.map((pool) => poolFiles(pool, { ...shared, packages }))),
    },
  }
}

type Shared = Pick<PoolDescription, 'flags' | 'config' | 'host'> & { readonly packages: Packages }

function fleetDocument(): string {
  const rollout = { maxUnavailable: 1, maxFailures: 0, onFailure: 'Rollback' }
  return repoDocument('Fleet', { rollout }, { name: 'fleet', comments: ['The fleet as a whole: defaults for every pool.'] })
}

function poolFiles(pool: PoolDescription, shared: Shared): Record<string, string> {
  const { name, overrides } = pool
  const config = without(pool.config, shared.config) as JsonObject
  const parts = { flags: without(pool.flags, shared.flags), config }
  return {
    ...(isEmpty(config) ? {} : { [`config/${name}.yaml`]: kubeletDocument(config, { name }) }),
    [`pools/${name}.yaml`]: poolDocument(pool, shared, parts),
    ...Object.fromEntries(
      overrides.map(({ node, flags, config: fields }) => [
        `overrides/${node}.yaml`,
        repoDocument(
          'NodeOverride',
          { node, ...(isEmpty(flags) ? {} : { flags }), ...(isEmpty(fields) ? {} : { config: fields }) },
          { name: node },
        ),
      ]),
    ),
  }
}

function poolDocument(pool: PoolDescription, shared: Shared, own: Pick<Shared, 'flags' | 'config'>): string {
  const { name, nodes, layout, version, binaries, matchLabels, missingOn } = pool
  const config = [
    ...(isEmpty(shared.config) || isEmpty(pool.config) ? [] : [SHARED_NAME]),
    ...(isEmpty(own.config) ? [] : [name]),
  ]
  const release = binaries.length > 0 ? RELEASE : nameOf(pool.packaged, shared.packages)
  const kubelet = {
    ...(version === undefined ? {} : { version }),
    ...(release === undefined ? {} : { release }),
    ...(layout === undefined ? {} : { layout }),
    ...(isEmpty(shared.flags) ? {} : { flagSets: [SHARED_NAME] }),
    ...(isEmpty(own.flags) ? {} : { flags: own.flags }),
    ...(config.length === 0 ? {} : { config }),
  }
  const hostProfiles = [...profileIf(SHARED_NAME, shared.host), ...profileIf(name, withoutShared(pool.host, shared.host))]
  const spec = {
    nodeSelector: { matchLabels },
    ...(isEmpty(kubelet) ? {} : { kubelet }),
    ...(hostProfiles.length === 0 ? {} : { hostProfiles }),
    ...(nodes.length < 3 ? {} : { rollout: { waves: CANARY } }),
  }
  const labels = missingOn.length === 0 ? [] : [`No label tells these nodes from others. Before you push: ${labelCommand(pool)}`]
  const remarks = remarkLines(pool.remarks.filter(({ about }) => about === 'kubelet'))
  return repoDocument('NodePool', spec, { name, comments: [`Imported from ${nodes.join(', ')}.`, ...labels, ...remarks] })
}

const CANARY = [
  { name: 'canary', nodes: 1 },
  { name: 'rest', nodes: '100%' },
]

export function labelCommand({ missingOn, matchLabels }: Pick<PoolDescription, 'missingOn' | 'matchLabels'>): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  return `kubectl label node ${missingOn.join(' ')} ${labels.join(' ')}`
}

function profileIf(name: string, host: PoolDescription['host']): string[] {
  return Object.values(host).every(isEmpty) ? [] : [name]
}

/** One checksum for a version and an architecture: a pool with another build keeps its kubelets. */
function releasable(pools: readonly PoolDescription[]): PoolDescription[] {
  const known = new Map<string, string>()
  return pools.map((pool) => {
    const keys = pool.binaries.map(({ arch, sha256 }) => [canonicalJson([pool.version ?? '', arch]), sha256] as const)
    const isKnown = keys.every(([key, sha256]) => (known.get(key) ?? sha256) === sha256)
    const isOne = new Map(keys).size === new Set(keys.map(([key, sha256]) => `${key} ${sha256}`)).size
    if (!isKnown || !isOne) return { ...pool, version: undefined, binaries: [], remarks: [...pool.remarks, OTHER_BUILD] }
    for (const [key, sha256] of keys) known.set(key, sha256)
    return pool
  })
}

const OTHER_BUILD = {
  about: 'kubelet',
  what: 'the version of the kubelet',
  why: 'the kubelets are different builds of one version',
  remedy: 'set version and release when all are to run one of them',
} as const

/** By the name of the release: the manager, and a number where its packages have several patterns. */
function packagesOf(pools: readonly PoolDescription[]): Packages {
  const found = new Map<string, PackagedKubelet>()
  for (const { packaged } of pools) {
    if (packaged === undefined || nameOf(packaged, found) !== undefined) continue
    const others = [...found.values()].filter(({ manager }) => manager === packaged.manager).length
    found.set(others === 0 ? packaged.manager : `${packaged.manager}-${others + 1}`, packaged)
  }
  return found
}

function nameOf(packaged: PackagedKubelet | undefined, packages: Packages): string | undefined {
  return [...packages].find(([, each]) => each.manager === packaged?.manager && each.version === packaged.version)?.[0]
}

function packageReleases(packages: Packages): Record<string, string> {
  const comments = [
    'The package comes from the repositories that each host has. For a version that they lack, change the repository in the same commit: see docs/import.md.',
  ]
  return Object.fromEntries(
    [...packages].map(([name, { manager, version }]) => [
      `releases/${name}.yaml`,
      repoDocument('KubeletRelease', { [manager]: { version } }, { name, comments }),
    ]),
  )
}

function releaseFiles(pools: readonly PoolDescription[]): Record<string, string> {
  const sums: Record<string, Record<string, string>> = {}
  for (const { version = '', binaries } of pools)
    for (const { arch, sha256 } of binaries) sums[version] = { ...sums[version], [arch]: sha256 }
  if (isEmpty(sums)) return {}
  const binary = { url: 'https://dl.k8s.io/release/v{{version}}/bin/linux/{{arch}}/kubelet', sha256: sums }
  const comments = [
    'The checksums are those of the kubelets that run. They are downloaded only where another one runs: correct the URL if yours come from elsewhere.',
  ]
  return { [`releases/${RELEASE}.yaml`]: repoDocument('KubeletRelease', { binary }, { name: RELEASE, comments }) }
}
