import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const HEAD = 'apiVersion: nodewave.io/v1alpha1\n'
const FLEET = `${HEAD}kind: Fleet\nmetadata: {name: fleet}\nspec: {}\n`
const POOL = `${HEAD}kind: NodePool\nmetadata: {name: workers}\nspec: {nodeSelector: {matchLabels: {role: worker}}, kubelet: {flags: {v: 2}}}\n`

test('plan says who simulates a fleet of more than 5,000 nodes, and does not try', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-plan-'))
  try {
    await writeFile(join(folder, 'fleet.yaml'), FLEET)
    await writeFile(join(folder, 'pool.yaml'), POOL)
    const items = Array.from({ length: 5001 }, (_, n) => ({
      kind: 'Node',
      metadata: { name: `n${n}`, labels: { role: 'worker' } },
      status: { nodeInfo: { architecture: 'amd64', osImage: 'Linux' } },
    }))
    const nodes = join(tmpdir(), `${folder.split('/').at(-1)}.json`)
    await writeFile(nodes, JSON.stringify({ kind: 'List', items }))
    const { stdout } = await runCli(folder, ['plan', '.', '--from', 'none', '--nodes', nodes])
    await rm(nodes)
    expect(stdout).toContain('estimate  not made for more than 5000 nodes: nodewave simulate\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})
