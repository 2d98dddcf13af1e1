import { expect, test } from 'vitest'
import { createRealPorts } from '../../../src/agent/adapters/real-host.ts'
import type { AgentPorts, NodeApi } from '../../../src/agent/ports.ts'

const refuse = (): never => {
  throw new Error('not called')
}
const NO_API: NodeApi = {
  follow: refuse,
  get: refuse,
  leaseRenewed: refuse,
  annotate: refuse,
  configMap: refuse,
  secret: refuse,
  mirrorPod: refuse,
}

/** A unit that no machine has: systemctl, were it asked, would fail or say that it does not exist. */
const UNIT = 'nodewave-no-such-unit.service'

test('createRealPorts asks no service manager of the machine below another root', async () => {
  const { services } = createRealPorts({ node: NO_API, root: '/tmp' })
  await services.restart(UNIT)
  expect(await services.show(UNIT)).toMatchObject({ exists: true, active: 'active', mainPid: 1 })
  await services.stop(UNIT)
  await services.disable(UNIT)
  expect(await services.show(UNIT)).toMatchObject({ active: 'inactive', enabled: false, mainPid: 0 })
})

test("createRealPorts takes neither health nor Node of the machine's own kubelet below another root", async () => {
  const { kubelet, node } = createRealPorts({ node: NO_API, root: '/tmp' })
  expect(await kubelet.healthz('http://127.0.0.1:1/healthz')).toEqual({ ok: true, detail: 'not asked below --root' })
  await expect(node.get()).rejects.toThrow('not asked below --root')
})

/** As systemd would start it: with a socket that takes messages. */
function startedWith(socket: string): AgentPorts {
  const before = process.env.NOTIFY_SOCKET
  process.env.NOTIFY_SOCKET = socket
  try {
    return createRealPorts({ node: NO_API })
  } finally {
    if (before === undefined) delete process.env.NOTIFY_SOCKET
    else process.env.NOTIFY_SOCKET = before
  }
}

test("createRealPorts asks the machine's own kubelet and Node, and tells the supervisor of the process", async () => {
  const { kubelet, node, supervisor } = startedWith('/nodewave/no-such-socket')

  expect(await kubelet.healthz('http://127.0.0.1:1/healthz')).toMatchObject({ ok: false })
  expect(node).toBe(NO_API)
  expect(supervisor).toHaveProperty('alive')
})
