import { expect, test } from 'vitest'
import { prometheusTelemetry } from '../../../src/controller/metrics/prometheus-telemetry.ts'
import type { Telemetry } from '../../../src/controller/metrics/telemetry.ts'
import type { KubeApi } from '../../../src/kube/kube-api.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, assignedRevision, NODES } from '../stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

/** Milliseconds that passes and writes told. */
function recorder(more: Partial<Telemetry> = {}) {
  const [passes, writes]: [(number | undefined)[], number[]] = [[], []]
  let passed = Promise.withResolvers<void>()
  const telemetry: Telemetry = {
    ...{ synced: () => undefined, leads: () => undefined, passFailed: () => undefined, gitReadable: () => undefined },
    notifies: () => () => undefined,
    passed: ({ waited }) => {
      passes.push(waited)
      passed.resolve()
      passed = Promise.withResolvers()
    },
    writeSent: (waited) => writes.push(waited),
    ...more,
  }
  return { telemetry, passes, writes, nextPass: () => passed.promise }
}

const isAt = (revision: string) => (nodes: ReadonlyMap<string, object>) =>
  [...nodes.values()].every((node) => assignedRevision(node as never) === revision)

test('a change waits for the pass that takes it, not for one that fails', async () => {
  await using stage = await aStage()
  const { telemetry, passes } = recorder()
  await stage.addNodes(1)
  stage.startController({ telemetry })
  stage.push('a', aFleet())
  await stage.until(NODES, isAt(A))
  stage.server.faults.failNext({ verb: 'create', resource: 'configmaps', code: 403, times: 1 })
  const failed = stage.logged((line) => line.startsWith('warn pass failed'))
  stage.push('b', aFleet({ v: 4 }))
  await failed
  expect(passes.filter((waited) => waited !== undefined && waited > 0)).toEqual([])
  stage.clock.advance(10_000)
  await stage.until(NODES, isAt(B))

  expect(passes.filter((waited) => waited !== undefined && waited > 0)).toEqual([10_000])
})

test('what changed before a controller leads waited for no pass of it', async () => {
  await using stage = await aStage()
  const { telemetry, passes } = recorder({ synced: () => stage.clock.advance(3_600_000) })
  await stage.addNodes(1)
  stage.startController({ telemetry })
  stage.push('a', aFleet())
  await stage.until(NODES, isAt(A))

  expect(passes.length).toBeGreaterThan(0)
  expect(passes.filter((waited) => waited !== undefined && waited > 0)).toEqual([])
})

test('writes wait in the queue of a server that does not answer, however often passes decide them again', async () => {
  await using stage = await aStage()
  const { telemetry, writes, nextPass } = recorder()
  const [answers, sixteen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  const kube: KubeApi = {
    ...stage.kube,
    async patch(path, ...more) {
      asked += path.startsWith(`${NODES}/`) ? 1 : 0
      if (asked === 16) sixteen.resolve()
      if (path.startsWith(`${NODES}/`)) await answers.promise
      return stage.kube.patch(path, ...more)
    },
  }
  await stage.addNodes(18)
  stage.startController({ telemetry, kube })
  const files = aFleet({ rollout: 'waves: [{name: all, nodes: 100%, soak: 0s}], maxUnavailable: 100%' })
  stage.push('a', files)
  await sixteen.promise
  expect(writes).toEqual(Array.from({ length: 16 }, () => 0))
  for (const _ of [1, 2]) {
    stage.clock.advance(2_000)
    const passed = nextPass()
    stage.push('a', files)
    await passed
  }
  answers.resolve()
  await stage.until(NODES, isAt(A))

  expect(writes.slice(16)).toEqual([4_000, 4_000])
})

test('waits are histograms in seconds', async () => {
  const telemetry = prometheusTelemetry({ version: '1', elapsed: () => 0, now: () => 0 })
  telemetry.passed({ took: 5, waited: 300 })
  telemetry.passed({ took: 5 })
  telemetry.writeSent(2_000)
  const { text } = await telemetry.exposed()
  const lines = text
    .split('\n')
    .filter((line) => /^nodewave_(pass|write)_wait_seconds_(sum|count|bucket\{le="(0\.25|0\.5|2\.5)"\})/.test(line))

  expect(lines).toEqual([
    'nodewave_pass_wait_seconds_bucket{le="0.25"} 0',
    'nodewave_pass_wait_seconds_bucket{le="0.5"} 1',
    'nodewave_pass_wait_seconds_bucket{le="2.5"} 1',
    'nodewave_pass_wait_seconds_sum 0.3',
    'nodewave_pass_wait_seconds_count 1',
    'nodewave_write_wait_seconds_bucket{le="0.25"} 0',
    'nodewave_write_wait_seconds_bucket{le="0.5"} 0',
    'nodewave_write_wait_seconds_bucket{le="2.5"} 1',
    'nodewave_write_wait_seconds_sum 2',
    'nodewave_write_wait_seconds_count 1',
  ])
})
