import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { aStage, NODES, POOLS } from '../../controller/stage.ts'
import { A, aFleetWith } from './manual-stage.ts'

test('reboot reboots nodes with the content that they have, and is recorded with who asked', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  const before = (await stage.kube.get<KubeObject>(`${NODES}/n1`)).metadata.annotations?.['nodewave.io/desired-config']
  expect((await run('reboot', 'n9')).stderr).toBe('error: unknown node or pool "n9"; did you mean "n0"?\n')

  expect((await run('reboot', 'n1', '--reason', 'firmware')).stdout).toBe('1 node to be rebooted: n1; firmware (by anyone)\n')
  const nodes = await stage.until(NODES, (found) => {
    stage.clock.advance(1000)
    const node = found.get('n1')
    return bootOf(node) !== 'boot-of-n1' && node?.metadata.annotations?.['nodewave.io/reboot'] === undefined && !isCordoned(node)
  })
  const assigned = JSON.parse(nodes.get('n1')?.metadata.annotations?.['nodewave.io/desired-config'] ?? '')
  expect(assigned).toMatchObject({ DIGEST: JSON.parse(before ?? '').DIGEST, GRANT: 'reboot' })
  expect(assigned.REBOOT).toMatch(/^boot-of-n1@2026-11-21T09:00:/)
  expect([...nodes.values()].map(bootOf)).toEqual(['boot-of-n0', 'after-boot-of-n1', 'boot-of-n2'])
  const { status } = await stage.kube.get<{ status: { controls: object[] } }>(`${POOLS}/workers`)
  expect(status.controls).toMatchObject([{ action: 'Reboot', nodes: ['n1'], value: 'firmware', who: 'anyone' }])
})

test('reboot of a pool writes a request on each node, and takes it back', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  await run('pause', 'workers')

  expect((await run('reboot', 'workers')).stdout).toBe('3 nodes to be rebooted: n0, n1, n2 (by anyone)\n')
  await stage.until(POOLS, (found) => {
    const { reboots = [] } = (found.get('workers')?.status ?? {}) as { reboots?: { state: string }[] }
    return reboots.length === 3 && reboots.every(({ state }) => state === 'Waiting')
  })
  expect((await run('status')).stdout).toContain('to reboot: n0 (Waiting), n1 (Waiting), n2 (Waiting)')
  expect((await run('reboot', 'workers', '--cancel')).stdout).toBe(
    'requests withdrawn: n0, n1, n2; nodes that have begun finish (by anyone)\n',
  )
  const { items } = await stage.kube.list(NODES, { project: ({ metadata }) => metadata.annotations ?? {} })
  expect(items.every((annotations) => annotations['nodewave.io/reboot'] === undefined)).toBe(true)
})

function bootOf(node: KubeObject | undefined): string | undefined {
  return (node?.status as { nodeInfo?: { bootID?: string } } | undefined)?.nodeInfo?.bootID
}

function isCordoned(node: KubeObject | undefined): boolean {
  return (node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
}
