/** Nodes of the pool "workers" of the example, and the commit that upgrades them, for rollouts in virtual time. */
import type { RepoSnapshot } from '../../src/protocol/repo-snapshot.ts'
import { nodeObject } from '../../src/simulate/node-objects.ts'
import { POOL_LABELS } from './example-fleet.ts'

export const STARTS_AT = Date.parse('2026-11-21T22:00:00Z')

/** The next minor version for the workers. */
export function upgraded(commit: RepoSnapshot): RepoSnapshot {
  const files = new Map(commit.files)
  const workers = files.get('pools/workers.yaml')
  if (workers?.kind !== 'file') throw new Error('read the example fleet: pools/workers.yaml is missing')
  const text = Buffer.from(workers.bytes).toString('utf8').replace('"1.35.4"', '"1.36.3"')
  files.set('pools/workers.yaml', { kind: 'file', bytes: Buffer.from(text) })
  return { ...commit, commit: 'f'.repeat(40), files }
}

export function aWorker(index: number) {
  const zone = `zone-${index % 3}`
  const labels = { [POOL_LABELS.workers ?? '']: '', 'topology.kubernetes.io/zone': zone }
  const about = { arch: 'amd64', osImage: 'Debian GNU/Linux 12 (bookworm)', internalIP: undefined, kubeletVersion: undefined }
  return nodeObject({ name: `workers-${index}`, labels, ...about, ready: true, unschedulable: false }, STARTS_AT)
}
