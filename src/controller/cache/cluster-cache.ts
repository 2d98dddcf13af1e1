import { type KubeApi, KubeError, type KubeObject, RESTORED } from '../../kube/kube-api.ts'
import type { Clock } from '../clock/clock.ts'
import type { Contact } from '../clock/contact.ts'
import type { Log } from '../log/log.ts'
import {
  type AccessCollection,
  accessPath,
  PAYLOAD_ACCESS,
  projectBinding,
  projectRole,
  type StoredAccess,
} from './access-objects.ts'
import { bindingCache } from './binding-cache.ts'
import { CEILINGS_PATH, type CeilingView, projectCeiling } from './ceiling-schema.ts'
import { areChangesAwaited } from './changes-awaited.ts'
import type { ClusterNode } from './cluster-node.ts'
import { projectNode } from './cluster-node.ts'
import { type ClusterSecret, projectClusterSecret } from './cluster-secret.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { ConfirmedCeilings } from './confirmed-ceilings.ts'
import { ControlPlaneCache } from './control-plane-cache.ts'
import { CONTROL_PLANE_PODS, CONTROL_PLANE_SELECTOR, type ControlPlanePod, projectControlPlanePod } from './control-plane-pods.ts'
import { type Followed, followCollection } from './follow-collection.ts'
import { limitFacts } from './limit-facts.ts'
import type { NodePoolView } from './node-pool-view.ts'
import { nodePoolsPath, projectNodePool } from './node-pool-view.ts'
import { type Cached, ObjectCache } from './object-cache.ts'
import { ServerVersions } from './server-versions.ts'
import type { StoredConfigMap } from './stored-config-map.ts'
import {
  configMapsPath,
  FLEET,
  PAYLOADS,
  projectConfigMap,
  projectSecret,
  REVISIONS,
  SECRET_PAYLOADS,
  storedPath,
} from './stored-config-map.ts'

export interface ClusterCache {
  readonly nodes: ObjectCache<ClusterNode>
  /** What is kept of a Node, whether the watch or a write of ours brought it: of the same version it is the same object. */
  readonly readNode: (object: KubeObject) => ClusterNode
  readonly pools: ObjectCache<NodePoolView>
  readonly payloads: ObjectCache<StoredConfigMap>
  /** Payloads that are Secrets, without what is in them. Empty where the controller opens no secrets. */
  readonly secrets: ObjectCache<StoredConfigMap>
  readonly revisions: ObjectCache<StoredConfigMap>
  /** What people wrote for hosts, and what revisions took of it. Empty where the controller takes nothing from Secrets. */
  readonly hostSecrets: ObjectCache<ClusterSecret>
  readonly revisionSecrets: ObjectCache<StoredConfigMap>
  readonly controlPlane: Pick<ControlPlaneCache, 'view'>
  /** What administrators allow at most. Empty where the controller does not read it. */
  readonly ceilings: ObjectCache<CeilingView>
  /** Which node may read which payload. Empty where the controller does not say so. */
  readonly roles: ObjectCache<StoredAccess>
  readonly bindings: ObjectCache<StoredAccess>
  /** What people set for the whole fleet. */
  readonly fleet: ObjectCache<StoredConfigMap>
  /** Resolves when all of it was read once, or `signal` aborts. Rejects with what no retry can mend: no rights, no NodePool kind. */
  readonly synced: Promise<void>
}

export interface FollowedCluster extends ClusterCache {
  /** Resolves when nothing that a controller wrote before is unknown any more, however late watches are. @throws {KubeError} when it cannot be read */
  catchUp(): Promise<void>
}

export interface ClusterCacheOptions {
  readonly kube: KubeApi
  readonly settings: ClusterSettings
  readonly clock: Clock
  readonly log: Log
  readonly contact: Contact
  readonly signal: AbortSignal
  /** Called when something visible changed, and when the server is there again: what failed while it was away may pass now. */
  readonly changed: () => void
}

const NODES = '/api/v1/nodes'

/** Follows everything a pass looks at, but for the pods of nodes under drain. */
export function followCluster(options: ClusterCacheOptions): FollowedCluster {
  const { settings, contact, clock } = options
  const changed = (): void => options.changed()
  const versions = new ServerVersions(options)
  const nodes = new ObjectCache<ClusterNode>(changed)
  const project = limitFacts(projectNode(settings.names), { known: (name) => nodes.get(name), now: () => options.clock.now() })
  const readNode = (object: KubeObject): ClusterNode => nodes.known(object.metadata) ?? project(object)
  const pools = new ObjectCache<NodePoolView>(changed)
  const payloads = new ObjectCache<StoredConfigMap>(changed)
  const secrets = new ObjectCache<StoredConfigMap>(changed)
  const revisions = new ObjectCache<StoredConfigMap>(changed)
  const hostSecrets = new ObjectCache<ClusterSecret>(changed)
  const revisionSecrets = new ObjectCache<StoredConfigMap>(changed)
  const ceilings = new ObjectCache<CeilingView>(changed)
  const roles = new ObjectCache<StoredAccess>(changed)
  const bindings = bindingCache(changed)
  const controlPlane = new ControlPlaneCache(versions, changed)
  const fleet = new ObjectCache<StoredConfigMap>(changed)
  // Asked with each watch that is opened: it may be opened on another server than before.
  const follow = <T extends Cached>(followed: Followed<T>): Promise<void> =>
    followCollection(options, { onOpen: () => void versions.ask(whatOf(followed)), ...followed })
  const isAwaited = (): boolean => areChangesAwaited(pools.items.values())
  const ofNodes: Followed<ClusterNode> = {
    path: NODES,
    isAwaited,
    cache: nodes,
    project: readNode,
    onOpen: () => {
      contact.restored(NODES, clock.now())
      void versions.ask(NODES)
    },
    onListed: () => contact.listed(clock),
    onEnd: () => contact.lost(NODES, clock.now()),
    onTrouble: (_, error) => {
      contact.lost(NODES, clock.now() - silenceBefore(error))
      if (error instanceof KubeError && error.reason === RESTORED) contact.distrust(clock.now())
    },
  }
  const ofPools: Followed<NodePoolView> = { path: nodePoolsPath(), cache: pools, project: projectNodePool, isAwaited }
  const ofRevisions = ownConfigMaps(revisions, { namespace: settings.revisionsNamespace, labelSelector: REVISIONS })
  const ofFleet: Followed<StoredConfigMap> = {
    path: configMapsPath(settings.namespace),
    cache: fleet,
    project: projectConfigMap,
    fieldSelector: FLEET,
    isAwaited,
  }
  const accessOf = (collection: AccessCollection) => ({
    path: accessPath(settings.namespace, collection),
    labelSelector: PAYLOAD_ACCESS,
  })
  const ofAccess: readonly Followed<StoredAccess>[] =
    settings.payloadReaders === 'all'
      ? []
      : [
          { ...accessOf('roles'), cache: roles, project: projectRole },
          { ...accessOf('rolebindings'), cache: bindings, project: projectBinding },
        ]
  const ofSecrets: Followed<StoredConfigMap> = {
    path: storedPath({ namespace: settings.namespace, kind: 'Secret' }),
    cache: secrets,
    project: projectSecret,
    labelSelector: SECRET_PAYLOADS,
  }
  const ofHostSecrets: readonly Followed<ClusterSecret>[] =
    settings.secretsNamespace === undefined
      ? []
      : [
          {
            path: storedPath({ namespace: settings.secretsNamespace, kind: 'Secret' }),
            cache: hostSecrets,
            project: projectClusterSecret,
          },
        ]
  const ofRevisionSecrets: readonly Followed<StoredConfigMap>[] = ofHostSecrets.map(() => ({
    path: storedPath({ namespace: settings.revisionsNamespace, kind: 'Secret' }),
    cache: revisionSecrets,
    project: projectSecret,
    labelSelector: REVISIONS,
  }))
  const confirmed = new ConfirmedCeilings({ ...options, ceilings })
  const ofCeilings: readonly Followed<CeilingView>[] = settings.readsCeiling
    ? [{ path: CEILINGS_PATH, cache: confirmed, project: projectCeiling, onRefused: (error) => confirmed.refused(error) }]
    : []
  const pods: Followed<ControlPlanePod> = {
    path: CONTROL_PLANE_PODS,
    cache: controlPlane.pods,
    project: projectControlPlanePod,
    labelSelector: CONTROL_PLANE_SELECTOR,
    onOpen: () => void controlPlane.opened(versions.ask(whatOf(pods))),
    onTrouble: (trouble) => controlPlane.lost(trouble),
  }
  const synced = Promise.all([
    versions.ask(whatOf(pods)),
    follow(ofNodes),
    follow(ofPools),
    follow(ownConfigMaps(payloads, { namespace: settings.namespace, labelSelector: PAYLOADS })),
    follow(ofRevisions),
    follow(ofFleet),
    follow(pods),
    ...ofAccess.map(follow),
    ...ofCeilings.map(follow),
    ...ofHostSecrets.map(follow),
    ...ofRevisionSecrets.map(follow),
    ...(settings.secrets ? [follow(ofSecrets)] : []),
  ]).then(() => undefined)
  // Payloads are named after their content: one that is not known yet is found to be there.
  const catchUp = async (): Promise<void> => {
    const ask = <T extends Cached>(followed: Followed<T>): Promise<void> => listAgain(options, followed)
    const known = [ask(ofNodes), ask(ofPools), ask(ofRevisions), ask(ofFleet)]
    await Promise.all([...known, ...ofAccess.map(ask), ...ofCeilings.map(ask), ...ofHostSecrets.map(ask)])
  }
  return {
    nodes,
    readNode,
    pools,
    payloads,
    secrets,
    ceilings,
    roles,
    bindings,
    revisions,
    hostSecrets,
    revisionSecrets,
    fleet,
    controlPlane,
    synced,
    catchUp,
  }
}

async function listAgain<T extends Cached>(
  { kube, signal }: ClusterCacheOptions,
  { path, cache, project, labelSelector, fieldSelector }: Followed<T>,
): Promise<void> {
  const selected = {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  }
  await cache.catchUp(async () => (await kube.list(path, { project, signal, ...selected })).items)
}

/** Milliseconds. The nodes of a watch that fell silent have been unknown since then, not only since that was noticed. */
function silenceBefore(error: unknown): number {
  return (error instanceof KubeError && error.silentFor) || 0
}

function whatOf({
  path,
  labelSelector,
  fieldSelector,
}: Pick<Followed<Cached>, 'path' | 'labelSelector' | 'fieldSelector'>): string {
  return `${path} ${labelSelector ?? fieldSelector ?? ''}`
}

function ownConfigMaps(
  cache: ObjectCache<StoredConfigMap>,
  { namespace, labelSelector }: { readonly namespace: string; readonly labelSelector: string },
): Followed<StoredConfigMap> {
  return { path: configMapsPath(namespace), cache, project: projectConfigMap, labelSelector }
}
