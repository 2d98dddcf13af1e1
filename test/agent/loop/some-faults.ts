import { KubeError } from '../../../src/kube/kube-api.ts'
import { FakeNode } from '../support/fake-node.ts'
import { Machine } from '../support/machine.ts'

export const MINUTE = 60_000

/** A machine whose agent may not read ConfigMaps; the seconds at which it tried to. */
export function forbidden(random: () => number) {
  const machine = new Machine({ random })
  const askedAt: number[] = []
  const { configMap } = FakeNode.prototype
  let isAllowed = false
  machine.node.configMap = (namespace, name) => {
    askedAt.push(Math.floor(machine.clock.elapsed() / 1000))
    if (isAllowed) return configMap.call(machine.node, namespace, name)
    throw new KubeError('configmaps is forbidden', { code: 403, reason: 'Forbidden' })
  }
  machine.start()
  machine.assign({ flags: '--v=3' })
  return { machine, askedAt, allow: () => (isAllowed = true) }
}
