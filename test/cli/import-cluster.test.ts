import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clusterOfOneNode } from './cluster-of-one-node.ts'
import { runCli } from './run-cli.ts'

async function remarksOf(folder: string, ...args: string[]) {
  const command = ['import', 'fleet', '--host', 'w-1.json', '--kubeconfig', join(folder, 'kubeconfig'), '-o', 'json', ...args]
  const { stdout, stderr, code } = await runCli(folder, command)
  const { pools } = JSON.parse(stdout) as { pools: { remarks: { what: string; why: string }[] }[] }
  return { stderr, code, remarks: pools.flatMap(({ remarks }) => remarks.map(({ what, why }) => `${what}: ${why}`)) }
}

test('import compares the file of a kubelet with what it runs with, and names the taints', async () => {
  const folder = await clusterOfOneNode({ status: 200, body: { kubeletconfig: { maxPods: 110 } } })
  const { stderr, code, remarks } = await remarksOf(folder)
  expect([code, stderr]).toEqual([0, ''])
  expect(remarks).toContainEqual(expect.stringMatching(/^maxPods: 250: the kubelet runs with 110/))
  expect(remarks).toContainEqual('taints dedicated=db:NoSchedule: the Nodes have them already')
})

test('import warns when it may not ask kubelets, and goes on without', async () => {
  const body = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'nodes "w-1" is forbidden' }
  const { stderr, code } = await remarksOf(await clusterOfOneNode({ status: 403, body }))
  expect(code).toBe(0)
  expect(stderr).toContain('warning: the configuration that kubelets run with is not compared')
  expect(stderr).toContain('it needs the right to get nodes/proxy')
})

test('import with --no-configz asks no kubelet', async () => {
  const { stderr, code } = await remarksOf(await clusterOfOneNode({ status: 403, body: {} }), '--no-configz')
  expect([code, stderr]).toEqual([0, ''])
})
