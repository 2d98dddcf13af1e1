import type { PodView } from '../../../src/rollout/model/node-view.ts'

/** A pod of a ReplicaSet in the namespace `shop`, that runs and may go. */
export function aPod(name: string, more: Partial<PodView> = {}): PodView {
  return {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    controller: 'ReplicaSet',
    mirror: false,
    emptyDir: false,
    finished: false,
    terminating: false,
    ...more,
  }
}
