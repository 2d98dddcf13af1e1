import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { projectNodePool } from '../../../src/controller/cache/node-pool-view.ts'
import { prometheusTelemetry } from '../../../src/controller/metrics/prometheus-telemetry.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { NO_CONCLUSIONS } from '../no-conclusions.ts'

const DAY = 24 * 60 * 60_000

function aNode(
  name: string,
  { agent, kubelet = '1.36.2', pool = 'workers' }: Partial<Record<'agent' | 'kubelet' | 'pool', string>>,
) {
  return projectNode(namesFor())({
    metadata: {
      name,
      labels: { 'nodewave.io/pool': pool },
      annotations: {
        'nodewave.io/status': JSON.stringify({ phase: 'Applied', since: '', agent, drift: ['/etc/a'] }),
      },
    },
    status: { nodeInfo: { kubeletVersion: `v${kubelet}` } },
  })
}

/** A controller that leads, whose nodes may be changed between scrapes. */
function aScrapedFleet() {
  let now = 0
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => now, now: () => now })
  const nodes = new Map<string, ClusterNode>()
  const pools = new Map([['workers', projectNodePool({ metadata: { name: 'workers' } })]])
  telemetry.synced({ nodes: { items: nodes }, pools: { items: pools }, revisions: { items: new Map() } })
  telemetry.leads(NO_CONCLUSIONS)
  return {
    put: (node: ClusterNode) => void nodes.set(node.name, node),
    advance: (milliseconds: number) => {
      now += milliseconds
    },
    scrape: async (name: string): Promise<string[]> =>
      (await telemetry.exposed()).text.split('\n').filter((line) => line.startsWith(`${name}{`)),
  }
}

test.each(['agent', 'kubelet'] as const)(
  'a node that reports another %s version to each scrape makes few series',
  async (what) => {
    const fleet = aScrapedFleet()
    const metric = `nodewave_${what}s`
    fleet.put(aNode('n1', { [what]: '1.2.3' }))
    const series = new Set<string>()
    for (let scrape = 0; scrape < 200; scrape += 1) {
      fleet.put(aNode('rogue', { [what]: `1.0.${scrape}` }))
      for (const line of await fleet.scrape(metric)) series.add(line.replace(/ \d+$/, ''))
      fleet.advance(30_000)
    }
    expect(series.size).toBe(31)
    expect(await fleet.scrape(metric)).toEqual([
      `${metric}{pool="workers",version="1.2.3"} 1`,
      `${metric}{pool="workers",version="other"} 1`,
    ])
  },
)

test('versions that no node has had for a day make room for others', async () => {
  const fleet = aScrapedFleet()
  for (let scrape = 0; scrape < 40; scrape += 1) {
    fleet.put(aNode('n1', { agent: `1.0.${scrape}` }))
    await fleet.scrape('nodewave_agents')
  }
  expect(await fleet.scrape('nodewave_agents')).toEqual(['nodewave_agents{pool="workers",version="other"} 1'])
  fleet.advance(DAY + 1)
  expect(await fleet.scrape('nodewave_agents')).toEqual(['nodewave_agents{pool="workers",version="1.0.39"} 1'])
})

test('of many versions at once, those that many nodes have are shown', async () => {
  const fleet = aScrapedFleet()
  for (let index = 0; index < 50; index += 1) fleet.put(aNode(`rogue-${index}`, { agent: `1.0.${index}` }))
  for (const name of ['n1', 'n2']) fleet.put(aNode(name, { agent: '1.2.3' }))
  const lines = await fleet.scrape('nodewave_agents')
  expect(lines).toHaveLength(31)
  expect(lines).toContain('nodewave_agents{pool="workers",version="1.2.3"} 2')
  expect(lines).toContain('nodewave_agents{pool="workers",version="other"} 21')
})

test('what is no version is counted as other, and breaks no line', async () => {
  const fleet = aScrapedFleet()
  fleet.put(aNode('n1', { agent: 'a"} 1\nnodewave_leading 7 #' }))
  fleet.put(aNode('n2', { agent: '9'.repeat(65) }))
  expect(await fleet.scrape('nodewave_agents')).toEqual(['nodewave_agents{pool="workers",version="other"} 2'])
  expect(await fleet.scrape('nodewave_leading 7')).toEqual([])
})

test('a label of a node that names no pool makes no series', async () => {
  const fleet = aScrapedFleet()
  fleet.put(aNode('n1', { agent: '1.2.3', pool: 'made-up' }))
  for (const name of ['nodewave_agents', 'nodewave_kubelets', 'nodewave_drifted_nodes'])
    expect(await fleet.scrape(name)).toEqual([])
})
