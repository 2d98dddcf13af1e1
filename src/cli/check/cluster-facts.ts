import { CEILINGS_PATH } from '../../controller/cache/ceiling-schema.ts'
import type { ClusterNode } from '../../controller/cache/cluster-node.ts'
import { projectNode } from '../../controller/cache/cluster-node.ts'
import { nodePoolsPath } from '../../controller/cache/node-pool-view.ts'
import { leasePath, observationOf } from '../../controller/leadership/lease.ts'
import { type KubeApi, KubeError, type KubeObject, unlessMissing } from '../../kube/kube-api.ts'
import { LEADER_VERSION, type Names } from '../../protocol/names.ts'
import { fleetAnnotations } from '../controls/view.ts'
import { type FirstCommitTrouble, firstCommitTrouble, repositoryTrouble } from '../status/first-commit.ts'
import { type PoolStatusView, projectPool } from '../status/pool-view.ts'
import type { Need } from './needed-rights.ts'
import { clockAhead } from './node-clock.ts'
import { readMissingRights } from './read-rights.ts'

/** What was found, or why nobody could look. */
export type Looked<T> = { readonly value: T } | Unseen

export interface Unseen {
  readonly error: string
  /** HTTP status; 0: no answer. */
  readonly code: number
}

/** The controller that leads, or led. */
export interface Leader {
  readonly holder: string
  readonly renewedAt: number
  readonly leaseDuration: number
  readonly version: string | undefined
}

export interface CheckedNode extends ClusterNode {
  /** Milliseconds; absent: no kubelet has reported. */
  readonly clockAhead?: number | undefined
}

/** What a cluster says of a nodewave in it. */
export interface ClusterFacts {
  readonly server: Looked<string>
  /** Milliseconds since 1970, by the clock of the API server. */
  readonly serverTime: Looked<number>
  /** Undefined: the kind is not installed. */
  readonly pools: Looked<readonly PoolStatusView[] | undefined>
  readonly hasCeilings: Looked<boolean>
  /** Names of admission policies. */
  readonly policies: Looked<readonly string[]>
  /** Names of those that some binding has the server enforce. */
  readonly enforced: Looked<readonly string[]>
  readonly leader: Looked<Leader | undefined>
  /** The ConfigMap by which people pause the whole fleet is there. */
  readonly hasFleetControls: Looked<boolean>
  readonly nodes: Looked<readonly CheckedNode[]>
  /** What the caller may not do of what was asked for. */
  readonly missingRights: Looked<readonly Need[]>
  readonly trouble: FirstCommitTrouble | undefined
  /** Why the controller could not read the repository, within the last hour. */
  readonly unreadable?: FirstCommitTrouble | undefined
}

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

export interface Question {
  readonly names: Names
  /** Of the controller. */
  readonly namespace: string
  readonly serverTime: () => Promise<number>
  readonly rights: readonly Need[]
}

export async function readClusterFacts(
  kube: KubeApi,
  { names, namespace, serverTime: readTime, rights }: Question,
): Promise<ClusterFacts> {
  const [
    serverTime,
    server,
    pools,
    hasCeilings,
    policies,
    enforced,
    leader,
    hasFleetControls,
    nodes,
    missingRights,
    trouble,
    unreadable,
  ] = await Promise.all([
    looked(readTime()),
    looked(kube.get<{ gitVersion?: string }>('/version').then(({ gitVersion = '' }) => gitVersion)),
    looked(listed(kube, nodePoolsPath(), projectPool)),
    looked(listed(kube, CEILINGS_PATH, ({ metadata }) => metadata.name).then((found) => found !== undefined)),
    looked(listed(kube, POLICIES, ({ metadata }) => metadata.name).then((found) => found ?? [])),
    looked(listed(kube, BINDINGS, enforcedBy).then((found = []) => found.filter((name) => name !== undefined))),
    readLeader(kube, namespace),
    looked(fleetAnnotations({ kube, namespace }).then((found) => found !== undefined)),
    readClusterNodes(kube, names),
    looked(readMissingRights(kube, rights)),
    firstCommitTrouble(kube).catch(() => undefined),
    repositoryTrouble(kube).catch(() => undefined),
  ])
  const installed = { pools, hasCeilings, policies, enforced, hasFleetControls }
  return { server, serverTime, ...installed, leader, nodes, missingRights, trouble, unreadable }
}

export function readLeader(kube: KubeApi, namespace: string): Promise<Looked<Leader | undefined>> {
  return looked(kube.get<KubeObject>(leasePath(namespace)).then(leaderOf, unlessMissing))
}

export function readClusterNodes(kube: KubeApi, names: Names): Promise<Looked<readonly CheckedNode[]>> {
  const read = projectNode(names)
  const project = (object: KubeObject): CheckedNode => ({ ...read(object), clockAhead: clockAhead(object) })
  return looked(kube.list('/api/v1/nodes', { project }).then(({ items }) => items))
}

/** @returns the policy whose violations a binding has the server deny; undefined when it only warns of them */
function enforcedBy({ spec }: KubeObject): string | undefined {
  const { policyName, validationActions = [] } = (spec ?? {}) as BindingSpec
  return validationActions.includes('Deny') ? policyName : undefined
}

interface BindingSpec {
  readonly policyName?: string
  readonly validationActions?: readonly string[]
}

/** @returns undefined where the server does not know the collection */
async function listed<T>(kube: KubeApi, path: string, project: (object: KubeObject) => T): Promise<readonly T[] | undefined> {
  const found = await kube.list(path, { project }).catch(unlessMissing)
  return found?.items
}

async function looked<T>(work: Promise<T>): Promise<Looked<T>> {
  try {
    return { value: await work }
  } catch (error) {
    if (error instanceof KubeError) return { error: error.message, code: error.code }
    throw error
  }
}

function leaderOf(lease: KubeObject): Leader {
  const { holder, renewedAt, leaseDuration } = observationOf(lease).record
  return { holder, renewedAt, leaseDuration, version: lease.metadata.annotations?.[LEADER_VERSION] }
}
