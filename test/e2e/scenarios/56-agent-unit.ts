/** The agent's own unit on real systemd: stopped and killed in the middle of a change, stuck, and started twice. */
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { waitUntil } from '../cluster/wait.ts'
import { agentUnit } from '../product/agent.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'agent-unit', nodes: [{}], run: agentUnitHolds }]

const service = 'slow.service'
const settings = '/etc/slow/settings.conf'

/** While it is there, the service does not come to an end of its start: nobody misses the middle of it. */
const hold = '/run/slow.hold'

/** A service that is restarted each time the file of a commit changes, and takes five seconds more than the hold lasts. */
const commitOf = (text: string) => ({
  version: versions.olderKubelet,
  host: {
    files: [{ path: settings, content: `${text}\n` }],
    units: [{ name: service, content: SLOW, enabled: true, state: 'running', restartOn: [settings] }],
  },
})
const SLOW = `[Service]\nExecStartPre=/bin/sh -c 'while test -e ${hold}; do sleep 0.1; done'\nExecStartPre=/bin/sleep 5\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n`

async function agentUnitHolds(cluster: Cluster, { part, say }: Report): Promise<void> {
  const product = await productOn(cluster)
  const node = cluster.node('n1')
  await part('fleet settled', () => product.settle(commitOf('first')))
  await part('agent restarted in the middle of a change → Ready', () =>
    interrupt({ cluster, product, node }, { text: 'restarted', by: ['systemctl', 'restart', agentUnit] }),
  )
  const kill = ['systemctl', 'kill', '--signal=KILL', '--kill-who=main', agentUnit]
  await part('agent killed in the middle of a change → Ready', () =>
    interrupt({ cluster, product, node }, { text: 'killed', by: kill }),
  )
  await part('agent that is stuck → started again', () => stuck(node))
  await part('second agent → refused', () => second(node))
  const rating = await node.output(['systemd-analyze', 'security', '--no-pager', agentUnit])
  say(`systemd-analyze security: ${rating.split('\n').at(-1)}`)
  const use = await node.output(['systemctl', 'show', '--property=MemoryCurrent,CPUUsageNSec,NRestarts', agentUnit])
  say(`the agent's unit: ${use.replaceAll('\n', ' ')}`)
}

interface Place {
  readonly cluster: Cluster
  readonly product: Product
  readonly node: Node
}

/** The commit is completed, and was not rejected: an interruption is no failure. */
async function interrupt({ cluster, product, node }: Place, { text, by }: { text: string; by: string[] }): Promise<void> {
  const before = await node.unit(agentUnit)
  await node.write({ path: hold, content: '' })
  const commit = await product.push(commitOf(text), text)
  await waitUntil(async () => (await node.unit(service)).ActiveState === 'activating', { for: `"${service}" to be restarted` })
  await Promise.all([node.exec(by), node.exec(['rm', hold])])
  const status = await waitPool(cluster, { for: `Ready at ${commit}`, when: completed(commit) })
  check('the commit was not rejected', !status.rejected.some(({ revision }) => revision === commit), status.rejected)
  check('the file is as the commit says', (await node.read(settings)).trim() === text)
  check('the service runs', (await node.unit(service)).ActiveState === 'active')
  const after = await node.unit(agentUnit)
  check('another agent runs', after.ActiveState === 'active' && after.MainPID !== before.MainPID, { before, after })
}

/** A process that is stopped shows no life, as one whose event loop is. */
async function stuck(node: Node): Promise<void> {
  const path = `/etc/systemd/system/${agentUnit}.service.d/impatient.conf`
  await node.write({ path, content: `[Service]\nWatchdogSec=${PATIENCE}s\n` })
  await node.exec(['systemctl', 'daemon-reload'])
  await node.exec(['systemctl', 'restart', agentUnit])
  const before = await node.unit(agentUnit)
  const started = await lastSignOfLife(node)
  const isOverdue = async () => (await lastSignOfLife(node)) > started + 2 * PATIENCE * SECOND
  await waitUntil(isOverdue, { for: 'signs of life for twice as long as the watchdog waits for one' })
  check('an agent that is well stays', (await node.unit(agentUnit)).MainPID === before.MainPID)
  await node.exec(['kill', '-STOP', before.MainPID])
  const isNew = async () => {
    const { ActiveState, MainPID } = await node.unit(agentUnit)
    return ActiveState === 'active' && MainPID !== before.MainPID && MainPID !== '0'
  }
  await waitUntil(isNew, { for: 'another agent', timeoutMs: 60_000 })
  await node.exec(['rm', path])
  await node.exec(['systemctl', 'daemon-reload'])
  await node.exec(['systemctl', 'restart', agentUnit])
}

/** Seconds. */
const PATIENCE = 6
const SECOND = 1_000_000

/** By systemd: microseconds since the machine was booted. */
async function lastSignOfLife(node: Node): Promise<number> {
  return Number(await node.output(['systemctl', 'show', '--property=WatchdogTimestampMonotonic', '--value', agentUnit]))
}

async function second(node: Node): Promise<void> {
  const { MainPID } = await node.unit(agentUnit)
  const start = await node.output(['systemctl', 'show', '--property=ExecStart', '--value', agentUnit])
  const command = /argv\[\]=(.*?) ;/.exec(start)?.[1]?.split(' ') ?? []
  // One that is not refused would work for ever.
  const like = ['systemd-run', '--quiet', '--wait', '--pipe', '--property=RuntimeMaxSec=60s']
  const other = await node.exec([...like, ...command, '--state-directory=/var/lib/other'], { allowFailure: true })
  check('a second agent is refused', other.code === 2 && other.stderr.includes(`pid ${MainPID} works on this host`), other)
}
