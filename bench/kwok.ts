/**
 * `node bench/kwok.ts [--nodes 100,500,1000,2000,5000] [-o json]`: rollouts on a real control plane with kwok's nodes, a tenth of them at a time,
 * with agents that answer at once. The controller is a process of its own under the rights of deploy/, and follows a `git push`.
 * Needs what the end-to-end tests need: docs/testing.md.
 */
import { parseArgs } from 'node:util'
import { createKubeClient } from '../src/kube/kube-client.ts'
import { loadKubeconfig } from '../src/kube/kubeconfig.ts'
import { fillCache } from '../test/e2e/build/fill-cache.ts'
import { versions } from '../test/e2e/build/versions.ts'
import { createCluster } from '../test/e2e/cluster/cluster.ts'
import { agentsKubeconfig, createKwokNodes } from '../test/e2e/cluster/kwok.ts'
import { missingPrerequisites } from '../test/e2e/cluster/prerequisites.ts'
import { ownSlots } from '../test/e2e/cluster/slot.ts'
import { abandon, teardownLeftovers } from '../test/e2e/cluster/teardown.ts'
import { CONTROLLER } from '../test/e2e/product/controller.ts'
import { productOn } from '../test/e2e/product/product.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { measureRollout, type Rollout } from './support/kwok-rollout.ts'
import { measurePatchRate } from './support/patch-rate.ts'
import { usageOf } from './support/process-usage.ts'
import { type Figure, print } from './support/report.ts'

const WRITES = ['create', 'update', 'patch', 'delete']
/** Waves would each wait for their last node; the budget alone says how many are taken. */
const rollout = { maxUnavailable: '10%', waves: [{ name: 'all', nodes: '100%' }] }

/**
 * Seconds, and longer than a run: at the usual 40, the leases of thousands of nodes are renewed hundreds of times a second, which two
 * cores cannot do beside a rollout. Nodes then go in and out of Ready, and kwok is measured, not the product.
 */
const LEASE = 3_600

const { sizes, output } = readArguments()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave())
const missing = missingPrerequisites('nodes')
if (missing.length > 0) throw new Error(missing.join('\n'))
await teardownLeftovers({ kept: false })
await fillCache(console.error)
const figures: Figure[] = []
for (const size of sizes) figures.push(...(await measure(size)))
print(figures, { output })
process.exit() // not left to the connections that agents kept

async function measure(count: number): Promise<Figure[]> {
  const say = (what: string) => console.error(`${new Date().toISOString()} ${count} nodes: ${what}`)
  await using cluster = await createCluster({ nodes: [], heartbeatsWithin: 2 * LEASE })
  const kube = createKubeClient(await loadKubeconfig(await agentsKubeconfig(cluster)))
  const { names } = await createKwokNodes(cluster, { nodes: count, version: versions.olderKubelet, leaseSeconds: LEASE })
  say('Ready')
  const product = await productOn(cluster)
  say('controller started')
  const ending = new AbortController()
  startInstantAgents(kube, { nodes: names, signal: ending.signal })
  const subject = { cluster, product, kube, count }
  await measureRollout(subject, { version: versions.olderKubelet, rollout })
  say('adopted')
  const rates = [await measurePatchRate(kube, names)]
  const flags = await measureRollout(subject, { version: versions.olderKubelet, flags: { v: 3 }, rollout })
  say('flags rolled out')
  rates.push(await measurePatchRate(kube, names))
  const version = await measureRollout(subject, { version: versions.kubernetes, flags: { v: 3 }, rollout })
  say('version rolled out')
  rates.push(await measurePatchRate(kube, names))
  const { peak } = await usageOf(product.controller.pid)
  ending.abort()
  return [
    ...figuresOf(flags, { name: `${count} nodes, flags`, count, writes: 4, rates: rates.slice(0, 2) }),
    ...figuresOf(version, { name: `${count} nodes, version`, count, writes: 5, rates: rates.slice(1) }),
    { name: `${count} nodes: highest resident memory of the controller`, value: peak, unit: 'MB' },
  ]
}

interface Measured {
  readonly name: string
  readonly count: number
  /**
   * Which nobody can do without: the Role by which the node reads its payloads, assigned, taken, done; and where the version is another
   * one, the kubelet tells it.
   */
  readonly writes: number
  /** Patches a second that the server granted before and after. */
  readonly rates: readonly number[]
}

function figuresOf({ load, firstAssigned, completed, requests, cpu }: Rollout, { name, count, ...measured }: Measured): Figure[] {
  const rate = measured.rates.reduce((sum, each) => sum + each, 0) / measured.rates.length
  const floor = (measured.writes * count) / rate
  const own = requests.filter(({ user }) => user === CONTROLLER)
  const writes = requests.filter(({ verb }) => WRITES.includes(verb))
  const refused = requests.filter(({ code }) => code >= 400)
  const seconds = completed / 1000
  return [
    { name: `${name}: load average before`, value: load, unit: 'running' },
    { name: `${name}: patches granted, before and after`, value: rate, unit: 'a second' },
    { name: `${name}: push until first assigned`, value: firstAssigned / 1000, unit: 's' },
    { name: `${name}: push until Completed`, value: seconds, unit: 's' },
    { name: `${name}: floor, ${measured.writes} writes a node at that rate`, value: floor, unit: 's' },
    { name: `${name}: push until Completed, to the floor`, value: seconds / floor, unit: 'times', aim: 1.2 },
    {
      name: `${name}: first assigned until Completed, to the floor`,
      value: seconds / floor - firstAssigned / 1000 / floor,
      unit: 'times',
    },
    { name: `${name}: requests of the controller`, value: own.length / count, unit: 'per node', aim: 3 },
    { name: `${name}: writes by all`, value: writes.length / count, unit: 'per node' },
    { name: `${name}: requests that were refused`, value: refused.length, unit: 'requests' },
    { name: `${name}: CPU of the controller`, value: cpu.controller / count, unit: 'ms a node' },
    { name: `${name}: CPU of the agents`, value: cpu.agents / count, unit: 'ms a node' },
  ]
}

/** @throws when an option is unknown, or its value is none of those it can have. */
function readArguments(): { readonly sizes: readonly number[]; readonly output: 'text' | 'json' } {
  const options = {
    nodes: { type: 'string', default: '100,500,1000,2000,5000' },
    output: { type: 'string', short: 'o', default: 'text' },
  } as const
  const { nodes, output } = parseArgs({ options }).values
  if (output !== 'text' && output !== 'json') throw new Error(`read -o "${output}": it must be text or json`)
  if (!/^[1-9]\d{0,4}(,[1-9]\d{0,4})*$/.test(nodes))
    throw new Error(`read --nodes "${nodes}": it must be numbers with commas between`)
  return { sizes: nodes.split(',').map(Number), output }
}

async function leave(): Promise<never> {
  for (const slot of ownSlots()) await abandon(slot)
  process.exit(130)
}
