import type { FollowEvent, FollowOptions, KubeApi, KubeObject } from '../kube/kube-api.ts'
import { KubeError } from '../kube/kube-api.ts'
import { ControlPlaneCache } from './control-plane-cache.ts'
import { CONTROL_PLANE_PODS, CONTROL_PLANE_SELECTOR, projectControlPlanePod } from './control-plane-pods.ts'
import type { NodePoolView } from './node-pool-view.ts'
import { nodePoolsPath, projectNodePool } from './node-pool-view.ts'
import type { ClusterNode } from './node-view.ts'
import { projectNode } from './node-view.ts'
import { ObjectCache } from './object-cache.ts'
import type { Clock, ControllerSettings, Log } from './ports.ts'
import { ServerVersions } from './server-versions.ts'
import type { StoredConfigMap } from './stored-config-map.ts'
import { configMapsPath, FLEET, PAYLOADS, projectConfigMap, REVISIONS } from './stored-config-map.ts'

export interface ClusterCache {
  readonly nodes: ObjectCache<ClusterNode>
  readonly pools: ObjectCache<NodePoolView>
  readonly payloads: ObjectCache<StoredConfigMap>
  readonly revisions: ObjectCache<StoredConfigMap>
  readonly controlPlane: Pick<ControlPlaneCache, 'view'>
  /** What people set for the whole fleet. */
  readonly fleet: ObjectCache<StoredConfigMap>
  /** Resolves when all of it was read once, or `signal` aborts. Rejects with what no retry can mend: no rights, no NodePool kind. */
  readonly synced: Promise<void>
}

export interface ClusterCacheOptions {
  readonly kube: KubeApi
  readonly settings: ControllerSettings
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  /** Told when something visible changed, and when the server is there again: what failed while it was away may pass now. */
  readonly changed: () => void
}

/** How long to stay away after the server refused a collection that it had given before: rights come and go while a server starts. */
const REFUSED_PAUSE = 5_000

/** Follows everything a pass looks at. */
export function followCluster(given: ClusterCacheOptions): ClusterCache {
  const versions = new ServerVersions(given)
  const options = { ...given, versions }
  const { settings, changed } = options
  const nodes = new ObjectCache<ClusterNode>(changed)
  const pools = new ObjectCache<NodePoolView>(changed)
  const payloads = new ObjectCache<StoredConfigMap>(changed)
  const revisions = new ObjectCache<StoredConfigMap>(changed)
  const controlPlane = new ControlPlaneCache(versions, changed)
  const fleet = new ObjectCache<StoredConfigMap>(changed)
  const synced = Promise.all([
    versions.ask(`${CONTROL_PLANE_PODS} ${CONTROL_PLANE_SELECTOR}`),
    follow(options, { path: '/api/v1/nodes', cache: nodes, project: projectNode(settings.names) }),
    follow(options, { path: nodePoolsPath(), cache: pools, project: projectNodePool }),
    follow(options, ownConfigMaps(payloads, { namespace: settings.namespace, labelSelector: PAYLOADS })),
    follow(options, ownConfigMaps(revisions, { namespace: settings.revisionsNamespace, labelSelector: REVISIONS })),
    follow(options, ownConfigMaps(fleet, { namespace: settings.namespace, labelSelector: FLEET })),
    follow(options, {
      path: CONTROL_PLANE_PODS,
      cache: controlPlane.pods,
      project: projectControlPlanePod,
      labelSelector: CONTROL_PLANE_SELECTOR,
      onOpen: (told) => void controlPlane.opened(told),
      onTrouble: (trouble) => controlPlane.lost(trouble),
    }),
  ]).then(() => undefined)
  return { nodes, pools, payloads, revisions, fleet, controlPlane, synced }
}

interface Followed<T extends { name: string; namespace: string; resourceVersion: string }> {
  readonly path: string
  readonly cache: ObjectCache<T>
  readonly project: (object: KubeObject) => T
  readonly labelSelector?: string
  /** The watch stands. `told` resolves once an API server has told its version since. */
  readonly onOpen?: (told: Promise<void>) => void
  /** It broke off or was refused, and why. */
  readonly onTrouble?: (trouble: string) => void
}

/** Asked with each watch that is opened: it may be opened on another server than before. */
interface FollowingOptions extends ClusterCacheOptions {
  readonly versions: ServerVersions
}

function ownConfigMaps(
  cache: ObjectCache<StoredConfigMap>,
  { namespace, labelSelector }: { readonly namespace: string; readonly labelSelector: string },
): Followed<StoredConfigMap> {
  return { path: configMapsPath(namespace), cache, project: projectConfigMap, labelSelector }
}

/** Resolves at the first full list; goes on following in the background until `signal`. */
function follow<T extends { name: string; namespace: string; resourceVersion: string }>(
  options: FollowingOptions,
  followed: Followed<T>,
): Promise<void> {
  const { path, cache, project, labelSelector = '' } = followed
  const troubled = (error: unknown): void => followed.onTrouble?.(`watch "${path}": ${describe(error)}`)
  const request: FollowOptions<T> = {
    project,
    signal: options.signal,
    onTrouble: (error) => {
      options.log('warn', `watch "${path}": ${describe(error)}`)
      troubled(error)
    },
    onOpen: () => {
      options.changed()
      const told = options.versions.ask(`${path} ${labelSelector}`)
      followed.onOpen?.(told)
    },
    ...(labelSelector !== '' && { labelSelector }),
  }
  return new Promise((resolve, reject) => {
    const observe = (event: FollowEvent<T>): void => {
      cache.observe(event)
      if (event.type === 'sync') resolve()
    }
    const refused = (error: unknown): void => {
      troubled(error)
      reject(error)
    }
    void keepFollowing(options, { path, request, observe, refused }).then(resolve)
  })
}

interface Following<T> {
  readonly path: string
  readonly request: FollowOptions<T>
  readonly observe: (event: FollowEvent<T>) => void
  readonly refused: (error: unknown) => void
}

async function keepFollowing<T>(
  { kube, clock, log, signal }: ClusterCacheOptions,
  { path, request, observe, refused }: Following<T>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of kube.follow<T>(path, request)) observe(event)
    } catch (error) {
      if (signal.aborted) return
      // Before the first list this ends the start with a clear error; afterwards nobody waits for it any more.
      refused(error)
      log('error', `follow "${path}": ${describe(error)}`)
    }
    await clock.sleepUntil(clock.now() + REFUSED_PAUSE, signal)
  }
}

function describe(error: unknown): string {
  return error instanceof KubeError ? `${error.reason}: ${error.message}` : String(error)
}
