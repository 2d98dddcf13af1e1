import { expect } from 'vitest'
import type { KubeApi, KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import type { Replicas } from './replicas.ts'
import { MINUTE, readiness } from './some-faults.ts'
import { POOLS } from './stage.ts'

export const MAPS = '/api/v1/namespaces/nodewave-system/configmaps'

export const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'

/** Its agents are at a second commit, and no controller runs. */
export async function atSecondCommit(replicas: Replicas, { first: before = '', more = '' } = {}): Promise<void> {
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet({ more: before }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, more }))
  await replicas.clock.advance(10 * MINUTE)
  await first.stop()
}

export async function keptCommits(replicas: Replicas): Promise<readonly unknown[]> {
  const maps = await replicas.list(REVISIONS)
  return maps.map(({ metadata: { annotations } }) => annotations?.['nodewave.io/revision'])
}

interface LostCommit {
  readonly rollout?: string
  /** Documents of the first commit alone. */
  readonly first?: string
  /** Documents that the second commit adds. */
  readonly more?: string
  /** Patch of the pool. */
  readonly asked?: object
  /** Milliseconds. */
  readonly after: number
}

/** Two commits, of which the second is gone when another controller starts, which cannot keep it again. */
export async function withLostCommit(replicas: Replicas, { rollout, first: added, more, asked, after }: LostCommit) {
  replicas.startAgents()
  const first = await replicas.start('first')
  replicas.push('a', aFleet(added === undefined ? {} : { more: added }))
  await replicas.clock.advance(MINUTE)
  replicas.push('b', aFleet({ v: 4, ...(rollout !== undefined && { rollout }), ...(more !== undefined && { more }) }))
  if (asked) await replicas.clock.advance(MINUTE)
  if (asked) await replicas.kube.patch(`${POOLS}/workers`, asked)
  await replicas.clock.advance(after)
  await first.stop()
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  const state = { isRefused: true }
  const create: KubeApi['create'] = async (path, body, options) => {
    if (state.isRefused && path === REVISIONS) throw refusal(403, 'Forbidden')
    return replicas.kube.create(path, body, options)
  }
  await replicas.start('second', { kube: { ...replicas.kube, create } })
  await replicas.clock.advance(10 * MINUTE)
  return state
}

/** Two nodes at a second commit, which is gone when another controller starts that cannot reach the repository. @returns what was kept of it */
export async function outOfReach(replicas: Replicas, kube = replicas.kube): Promise<KubeObject> {
  await atSecondCommit(replicas)
  const kept = await takeLast(replicas)
  replicas.source.loseContact()
  await replicas.start('second', { kube })
  await replicas.clock.advance(10 * MINUTE)
  expect(await readiness(replicas)).toBe('False RepositoryUnread')
  return kept
}

/** Deletes what is kept of the second commit. @returns it, to be restored */
export async function takeLast(replicas: Replicas): Promise<KubeObject> {
  const kept = await replicas.get(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  await replicas.kube.delete(`${REVISIONS}/fleet-bbbbbbbbbbbb-0`)
  const { resourceVersion: _, ...metadata } = kept.metadata
  return { ...kept, metadata }
}

export const POOL = (name: string, v: number) => `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: ${name}}
spec:
  nodeSelector: {matchLabels: {role: gpu}}
  kubelet: {flags: {v: ${v}}}
`
