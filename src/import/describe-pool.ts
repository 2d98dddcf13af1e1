import { canonicalJson, type Json } from '../protocol/digest.ts'
import type { FlagValue } from '../repo/schema/common.ts'
import { type ChosenLabels, chooseLabels, labelsOfKubelets } from './choose-labels.ts'
import { commonHost } from './common-host.ts'
import { common, isEmpty, isSame, without } from './factor.ts'
import type { NodeGroup } from './group-nodes.ts'
import { type HostContent, type JsonObject, type NodeDescription, type PackagedKubelet, type Remark, remark } from './subject.ts'

export interface PoolDescription extends ChosenLabels {
  readonly name: string
  readonly nodes: readonly string[]
  readonly layout: NodeDescription['layout']
  readonly version: string | undefined
  readonly binaries: readonly NonNullable<NodeDescription['binary']>[]
  readonly packaged: PackagedKubelet | undefined
  readonly flags: Readonly<Record<string, FlagValue>>
  readonly config: JsonObject
  readonly host: HostContent
  readonly overrides: readonly Override[]
  readonly remarks: readonly Remark[]
}

/** What one node has of its own. */
export interface Override {
  readonly node: string
  readonly flags: Readonly<Record<string, FlagValue>>
  readonly config: JsonObject
}

export function describePool(group: NodeGroup, groups: readonly NodeGroup[]): PoolDescription {
  const { name, members } = group
  const [typical] = members
  const flags = flagsOf(members)
  const config = typical?.config ?? {}
  const versions = [...new Set(members.map(({ version }) => version))]
  const sources = [...new Map(members.map(({ packaged }) => [canonicalJson({ ...packaged }), packaged])).values()]
  const isOne = versions.length === 1 && sources.length === 1
  const version = isOne ? versions[0] : undefined
  const labels = chooseLabels(group, groups)
  return {
    ...labels,
    ...{ name, nodes: members.map(({ node }) => node.name), layout: typical?.layout, version, flags, config },
    binaries: version === undefined ? [] : members.flatMap(({ binary }) => binary ?? []),
    packaged: version === undefined ? undefined : sources[0],
    host: commonHost(members.map(({ host }) => host)),
    overrides: members
      .map((member) => overrideOf(member, { flags, config }))
      .filter((each) => !isEmpty({ ...each.flags, ...each.config })),
    remarks: [
      ...remarksOf(members),
      ...versionRemarks(members, versions),
      ...(versions.length === 1 && sources.length > 1 ? [sourceRemark(members)] : []),
      ...hostDifferences(members),
      ...objectRemarks(members),
      ...labelRemarks(labels),
    ],
  }
}

/** A flag that some node lacks cannot be taken from it again: it is no flag of the pool. */
function flagsOf(members: readonly NodeDescription[]): Readonly<Record<string, FlagValue>> {
  const [typical] = members
  return Object.fromEntries(
    Object.entries(typical?.flags ?? {}).filter(([name]) => members.every(({ flags }) => Object.hasOwn(flags, name))),
  )
}

function overrideOf({ node, flags, config }: NodeDescription, pool: Pick<PoolDescription, 'flags' | 'config'>): Override {
  const missing = Object.keys(pool.config).filter((key) => !Object.hasOwn(config, key))
  return {
    node: node.name,
    flags: without(flags, pool.flags),
    config: {
      ...(without(config, pool.config) as Record<string, Json>),
      ...Object.fromEntries(missing.map((key) => [key, null])),
    },
  }
}

/** The same on several nodes is reported once. */
function remarksOf(members: readonly NodeDescription[]): Remark[] {
  const found: Remark[] = []
  for (const each of members.flatMap(({ remarks }) => remarks)) if (!found.some((other) => isSame(other, each))) found.push(each)
  return found
}

function versionRemarks(members: readonly NodeDescription[], versions: readonly (string | undefined)[]): Remark[] {
  if (versions.length <= 1) return []
  const shown = members.map(({ node, version }) => `${node.name} ${version ?? 'unknown'}`).join(', ')
  return [
    remark('kubelet', shown, {
      why: 'the nodes run different versions',
      remedy: 'set version and release when they are to run one',
    }),
  ]
}

function sourceRemark(members: readonly NodeDescription[]): Remark {
  const shown = members.map(({ node, packaged }) => {
    const source = packaged === undefined ? 'a binary' : `${packaged.manager} ${packaged.version}`
    return `${node.name} ${source}`
  })
  return remark('kubelet', `the version of the kubelet: ${shown.join(', ')}`, {
    why: 'the kubelets of the nodes come from different sources',
    remedy: 'set version and release when all are to have one',
  })
}

function hostDifferences(members: readonly NodeDescription[]): Remark[] {
  const shared = commonHost(members.map(({ host }) => host))
  const sections = ['files', 'units', 'packages', 'time', 'settings'] as const
  return sections.flatMap((section) => {
    const names = new Set(members.flatMap(({ host }) => Object.keys(without<unknown>(host[section], shared[section]))))
    if (names.size === 0) return []
    return [
      remark('host', `${section}: ${[...names].sort().join(', ')}`, {
        why: 'not all nodes of the pool have the same',
        remedy: section === 'files' ? 'write it here, or into a NodeOverride' : 'write it here when all are to have it',
      }),
    ]
  })
}

function labelRemarks({ matchLabels }: ChosenLabels): Remark[] {
  const open = labelsOfKubelets(matchLabels)
  if (open.length === 0) return []
  return [
    remark('kubelet', `nodeSelector ${open.join(', ')}`, {
      why: 'the kubelet of any node may set such a label, and so take its Node into this pool',
      remedy: 'select by a label under node-restriction.kubernetes.io/ when the pool has secrets or rights that others have not',
    }),
  ]
}

/** They are in the cluster already; written here, nodewave would put its mark on each Node. */
function objectRemarks(members: readonly NodeDescription[]): Remark[] {
  const taints = members.map(({ node }) =>
    Object.fromEntries(node.taints.map((taint) => [`${taint.key}=${taint.value ?? ''}:${taint.effect}`, taint])),
  )
  const own = Object.keys(common(taints)).filter((text) => !text.startsWith('node.kubernetes.io/'))
  if (own.length === 0) return []
  return [
    remark('kubelet', `taints ${own.join(', ')}`, {
      why: 'the Nodes have them already',
      remedy: 'add node: {taints: […]} for the controller to set them on new nodes, too',
    }),
  ]
}
