import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { aFleet } from './a-fleet.ts'
import type { Pause } from './pausable.ts'
import { assignedRevision, NODES, POOLS, readyOf, type Stage } from './stage.ts'

export const B = 'b'.repeat(40)
export const STATUS = 'nodewave.io/status'

/** Nodes that run a first commit; the second one reaches the canary. */
export async function aCanary(
  stage: Stage,
  { kube, rollout, nodes: count = 2 }: { readonly kube: KubeApi; readonly rollout: string; readonly nodes?: number },
): Promise<{ readonly canary: KubeObject; readonly stop: () => Promise<void> }> {
  await stage.addNodes(count)
  stage.startAgents()
  stage.push('a', aFleet({ rollout: 'proof: {pod: {mode: Never}}' }))
  const stop = stage.startController({ kube })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const status = { images: [{ names: ['registry.k8s.io/pause:3.10'], sizeBytes: 300_000 }], allocatable: { pods: '110' } }
  for (const name of ['n0', 'n1']) await stage.kube.patch(`${NODES}/${name}/status`, { status })
  stage.push('b', aFleet({ v: 4, rollout }))
  const nodes = await stage.until(NODES, (found) => [...found.values()].some((node) => assignedRevision(node) === B))
  const canary = [...nodes.values()].find((node) => assignedRevision(node) === B) as KubeObject
  return { canary, stop }
}

/** Its agent puts the host back, and says so. */
export async function rollsBack(stage: Stage, { metadata: { name } }: KubeObject): Promise<void> {
  const { metadata } = await stage.kube.get<KubeObject>(`${NODES}/${name}`)
  const { active: _active, ...said } = JSON.parse(metadata.annotations?.[STATUS] ?? '')
  const error = { reason: 'TrialFailed', message: 'the kubelet went bad' }
  const text = JSON.stringify({ ...said, phase: 'RolledBack', error })
  await stage.kube.patch(`${NODES}/${name}`, { metadata: { annotations: { [STATUS]: text } } })
}

/** The requests of one controller, whose watch of nodes may fall behind while all else arrives. */
export function lateNodes(stage: Stage, pause: Pause): KubeApi {
  return lateAt(NODES, { stage, pause })
}

/** The same for its watch of NodePools. */
export function latePools(stage: Stage, pause: Pause): KubeApi {
  return lateAt(POOLS, { stage, pause })
}

function lateAt(collection: string, { stage, pause }: { readonly stage: Stage; readonly pause: Pause }): KubeApi {
  const kube = createKubeClient({ server: stage.server.url, credentials: async () => ({}) })
  return {
    ...kube,
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === collection) await pause.over()
        yield event
      }
    },
  }
}

/** The writes of nodes. */
export function writesOf(late: KubeApi): { readonly kube: KubeApi; readonly written: string[] } {
  const written: string[] = []
  const patch: KubeApi['patch'] = (path, body, options) => {
    if (path.startsWith(NODES)) written.push(`${path} ${Object.keys(annotationsIn(body)).join(' ')}`)
    return late.patch(path, body, options)
  }
  return { kube: { ...late, patch }, written }
}

function annotationsIn(body: unknown): object {
  return (body as { readonly metadata?: { readonly annotations?: object } }).metadata?.annotations ?? {}
}

/** As `kube`, but what the watch of nodes tells next comes when a node was looked for by its name; no deletion comes. */
export function behindOnceRead(kube: KubeApi, { late, deletions }: { readonly late: Pause; readonly deletions: Pause }): KubeApi {
  return {
    ...kube,
    async list(path, options) {
      const found = await kube.list(path, options)
      if (options.fieldSelector !== undefined) late.end()
      return found
    },
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        if (path === NODES && event.type === 'delete') await deletions.over()
        yield event
      }
    },
  }
}

/** As `kube`, but no NodePool is created while it stands still. */
export function slowToCreate(kube: KubeApi, pause: Pause): KubeApi {
  return {
    ...kube,
    async create(path, body, options) {
      if (path === POOLS) await pause.over()
      return kube.create(path, body, options)
    },
  }
}

export function statusOf(node: KubeObject | undefined): { readonly phase?: string; readonly digest?: string } {
  return JSON.parse(node?.metadata.annotations?.[STATUS] ?? '{}')
}

export function phasesOf(pool: KubeObject | undefined): Readonly<Record<string, number>> {
  return (pool?.status as { readonly nodes?: { readonly byPhase: Record<string, number> } } | undefined)?.nodes?.byPhase ?? {}
}
