import { expect, test } from 'vitest'
import { inProcessClient } from '../../src/sim/apiserver/in-process-client.ts'
import { DEFAULT_TIMES } from '../../src/simulate/agent-times.ts'
import { nodeObject } from '../../src/simulate/node-objects.ts'
import { simulateFleet } from '../../src/simulate/simulate-fleet.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aSnapshot } from '../controller/a-snapshot.ts'

test('nodes of a simulation are written to by assignments and reports of agents alone, one after the other', async () => {
  const [from, to] = [
    aSnapshot('a', aFleet({ v: 2, rollout: 'maxUnavailable: 1' })),
    aSnapshot('b', aFleet({ v: 4, rollout: 'maxUnavailable: 1' })),
  ]
  const patched: string[] = []
  const startsAt = Date.UTC(2026, 10, 21, 22)
  const node = { labels: { role: 'worker' }, arch: 'amd64', osImage: 'Debian', ready: true, unschedulable: false }
  const asked = { times: DEFAULT_TIMES, serverVersions: ['1.36.3'], fails: new Set<string>() }
  const { outcome } = await simulateFleet(
    {
      from,
      to,
      nodes: ['n0', 'n1'].map((name) => nodeObject({ name, ...node }, startsAt)),
      pods: [],
      startsAt,
      within: 3_600_000,
      ...asked,
    },
    {
      clientOf: (core) => {
        const kube = inProcessClient(core)
        const patch: typeof kube.patch = (path, body, options) => {
          if (path.startsWith('/api/v1/nodes/')) patched.push(Object.keys(Object(Object(body).metadata)).join(' '))
          return kube.patch(path, body, options)
        }
        return { ...kube, patch }
      },
    },
  )
  const [assigned, reported] = ['resourceVersion annotations labels', 'annotations']
  expect({ outcome, patched }).toEqual({ outcome: 'Completed', patched: [assigned, reported, assigned, reported] })
})
