import type { KubeApi } from '../../src/kube/kube-api.ts'
import { aFleet } from './a-fleet.ts'
import { refusal } from './fake-kube.ts'
import type { Replicas } from './replicas.ts'
import { MINUTE } from './some-faults.ts'
import { POOLS } from './stage.ts'

/**
 * Starts a controller that completes commit A, and whose statuses the server refuses since before commit B.
 * @returns what has the server take them again
 */
export async function startWithRefusedStatuses(replicas: Replicas): Promise<() => void> {
  let isRefused = false
  const replace: KubeApi['replace'] = async (path, ...rest) => {
    if (isRefused && path.startsWith(POOLS)) throw refusal(403, 'Forbidden')
    return replicas.kube.replace(path, ...rest)
  }
  await replicas.start('first', { kube: { ...replicas.kube, replace } })
  replicas.push('a', aFleet())
  await replicas.clock.advance(MINUTE)
  isRefused = true
  replicas.push('b', aFleet({ v: 4 }))
  await replicas.clock.advance(MINUTE)
  return () => {
    isRefused = false
  }
}
