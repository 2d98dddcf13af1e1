/** The agent of an earlier commit, built from the history of the repository, and that of today, in turn on one host with its real disk. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assign, furnish, type RunningAgent, startAgent } from '../../bench/support/agent-machine.ts'
import { type Cluster, startCluster } from '../../bench/support/cluster.ts'
import { aNode, register } from '../../bench/support/nodes.ts'
import { bundleAgent } from '../../scripts/bundle-agent.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { type AgentStatus, parseAgentStatus } from '../../src/protocol/agent-status.ts'
import { contentDigest, type NodeContent } from '../../src/protocol/digest.ts'
import { namesFor } from '../../src/protocol/names.ts'
import { until } from '../waiting/until.ts'
import { hasHistory, previousBundle } from './previous-bundle.ts'

const names = namesFor()
const NODE = 'worker'

function contentOf(level: number, motd: string): NodeContent {
  return { opts: `--v=${level}`, host: JSON.stringify({ files: [{ path: '/etc/motd', content: `${motd}\n` }] }) }
}

/** Of a host, without what agents remember. */
function filesOf(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const outside = paths.filter((path) => !/^(var\/lib\/nodewave|run)(\/|$)/.test(path))
  return Object.fromEntries(
    outside.filter((path) => statSync(join(root, path)).isFile()).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

async function statusOf({ kube }: Cluster, wanted: (status: AgentStatus) => boolean, what: string): Promise<AgentStatus> {
  const read = ({ metadata }: KubeObject) => parseAgentStatus(metadata.annotations?.[names.status])
  const statuses = async function* (signal: AbortSignal) {
    for await (const event of kube.follow('/api/v1/nodes', { project: read, signal })) {
      if (event.type === 'sync') yield* event.items
      if (event.type === 'upsert') yield event.item
    }
  }
  const seen = await until(statuses, { for: what, wanted: (status) => status !== undefined && wanted(status) })
  if (seen === undefined) throw new Error(`wait for ${what}: no status`)
  return seen
}

/** What is assigned, one after the other, and which agent is there for it. */
const TURNS = [
  { agent: 'now', content: contentOf(1, 'one') },
  { agent: 'previous', content: contentOf(2, 'two') },
  { agent: 'now', content: contentOf(3, 'three') },
] as const

test.skipIf(!hasHistory())(
  'agents of the previous release and of this one go on with what the other left, also in the middle of a change',
  { timeout: 120_000 },
  async () => {
    await using cluster = await startCluster()
    const { kube } = cluster
    const bundles = { now: await bundleAgent(cluster.folder), previous: await previousBundle(cluster.folder) }
    const assigned = async (content: NodeContent) => {
      const config = `host-${contentDigest(content).slice(3, 13)}`
      const path = '/api/v1/namespaces/nodewave-system/configmaps'
      await kube.create(path, { metadata: { name: config }, data: { host: content.host }, immutable: true })
      return { name: NODE, content, named: { KUBELET_OPTS: content.opts, HOST_CONFIG: config } }
    }
    const machine = await furnish(cluster, NODE)
    writeFileSync(join(machine.root, 'etc/motd'), 'theirs\n')
    const before = filesOf(machine.root)
    const start = (agent: keyof typeof bundles) => startAgent(machine, { cluster, program: bundles[agent] })
    await register(kube, [aNode({ name: NODE, labels: {} })])

    for (const { agent, content } of TURNS) {
      await using _ = start(agent)
      await assign(cluster, await assigned(content))
      const digest = contentDigest(content)
      const applied = await statusOf(cluster, (status) => status.phase === 'Applied' && status.digest === digest, agent)
      expect(applied.error).toBeUndefined()
    }
    expect(readFileSync(join(machine.root, 'etc/motd'), 'utf8')).toBe('three\n')

    for (const [first, second, level] of [
      ['previous', 'now', 4],
      ['now', 'previous', 5],
    ] as const) {
      const content = contentOf(level, `level ${level}`)
      const digest = contentDigest(content)
      const killed = start(first)
      await assign(cluster, await assigned(content))
      await statusOf(cluster, (status) => status.digest === digest, `${first} to take it up`)
      await kill(killed)
      await using _ = start(second)
      await statusOf(cluster, (status) => status.phase === 'Applied' && status.digest === digest, `${second} to end it`)
      expect(readFileSync(join(machine.root, 'etc/motd'), 'utf8')).toBe(`level ${level}\n`)
    }

    await using _ = start('now')
    await kube.patch(`/api/v1/nodes/${NODE}`, { metadata: { annotations: { [names.desiredConfig]: null } } })
    await statusOf(cluster, ({ phase }) => phase === 'Reverted', 'the host to be given back')
    expect(filesOf(machine.root)).toEqual(before)
  },
)

/** As by the kernel: it has no time for anything. */
async function kill(agent: RunningAgent): Promise<void> {
  process.kill(agent.pid, 'SIGKILL')
  await agent[Symbol.asyncDispose]()
}
