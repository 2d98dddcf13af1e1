/** A volume that every node has: a link on each, to a folder of its own. The pod that proves a node mounts it. */
import type { Cluster } from '../cluster/cluster.ts'

export const SHARED_CLAIM = 'shared'
export const SHARED_PATH = '/srv/shared'

export async function makeSharedClaim(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes) {
    await node.exec(['mkdir', '-p', '/srv/data'])
    await node.exec(['ln', '-sfn', '/srv/data', SHARED_PATH])
  }
  const both = { accessModes: ['ReadWriteMany'], storageClassName: '' }
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: SHARED_CLAIM },
    spec: { ...both, capacity: { storage: '1Mi' }, hostPath: { path: SHARED_PATH, type: 'Directory' } },
  }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: SHARED_CLAIM, namespace: 'nodewave-proof' },
    spec: { ...both, volumeName: SHARED_CLAIM, resources: { requests: { storage: '1Mi' } } },
  }
  await cluster.apply(JSON.stringify(volume))
  await cluster.apply(JSON.stringify(claim))
}

/** Of the host, as Git left it. */
export async function removeSharedClaim(cluster: Cluster): Promise<void> {
  await cluster.kubectl(['delete', '--namespace=nodewave-proof', `pvc/${SHARED_CLAIM}`])
  await cluster.kubectl(['delete', `pv/${SHARED_CLAIM}`])
  for (const node of cluster.nodes) await node.exec(['rm', '-rf', SHARED_PATH, '/srv/data'])
}
