/**
 * `node bench/kwok.ts [--nodes 100,500,1000,2000,5000] [--shared-cores] [--minutes 60] [-o json]`: rollouts on a real control plane with
 * kwok's nodes, a tenth of them at a time, with agents that answer at once. The controller is a process of its own under the rights of
 * deploy/, and a webhook tells it of each `git push`. The control plane has half of the cores, all else the other half: it does not run on
 * the machine of the controller where people use it. Prints the figures of a size as soon as it is measured, with `-o json` a line for each;
 * when the time is over, or a size fails, it names what was not finished, and ends with 1. Needs what the end-to-end tests need: docs/testing.md.
 */
import { createKubeClient } from '../src/kube/kube-client.ts'
import { loadKubeconfig } from '../src/kube/kubeconfig.ts'
import { fillCache } from '../test/e2e/build/fill-cache.ts'
import { versions } from '../test/e2e/build/versions.ts'
import { createCluster } from '../test/e2e/cluster/cluster.ts'
import { agentsKubeconfig, createKwokNodes } from '../test/e2e/cluster/kwok.ts'
import { missingPrerequisites } from '../test/e2e/cluster/prerequisites.ts'
import { ownSlots } from '../test/e2e/cluster/slot.ts'
import { abandon, teardownLeftovers } from '../test/e2e/cluster/teardown.ts'
import { productOn } from '../test/e2e/product/product.ts'
import { benchCommand } from './support/bench-command.ts'
import { clusterCpu } from './support/cluster-processes.ts'
import { leaveHalfOfCores } from './support/cores.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { rolloutFigures } from './support/kwok-figures.ts'
import { measureRollout } from './support/kwok-rollout.ts'
import { measurePatchRate } from './support/patch-rate.ts'
import { usageOf } from './support/process-usage.ts'
import { Progress } from './support/progress.ts'
import { receivePushes } from './support/push-deliveries.ts'
import { type Figure, print, readCount, readUpTo } from './support/report.ts'

/** Waves would each wait for their last node; the budget alone says how many are taken. */
const rollout = { maxUnavailable: '10%', waves: [{ name: 'all', nodes: '100%' }] }

/**
 * Seconds, and longer than a run: at the usual 40, the leases of thousands of nodes are renewed hundreds of times a second, which two
 * cores cannot do beside a rollout. Nodes then go in and out of Ready, and kwok is measured, not the product.
 */
const LEASE = 3_600

const STEPS = ['Ready', 'controller started', 'adopted', 'flags rolled out', 'version rolled out'] as const

const { sizes, minutes, output, sharedCores } = readArguments()
const progress = new Progress(sizes.flatMap((size) => STEPS.map((step) => `${size} nodes: ${step}`)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130))
const missing = missingPrerequisites('nodes')
if (missing.length > 0) throw new Error(missing.join('\n'))
await teardownLeftovers({ kept: false })
await fillCache(console.error)
const controlPlaneCores = sharedCores ? undefined : leaveHalfOfCores()
setTimeout(() => {
  console.error(`not finished within ${minutes} minutes: ${progress.left.join(', ')}`)
  void leave(1)
}, minutes * 60_000).unref()
let failed = false
for (const size of sizes) failed = !(await measured(size)) || failed
process.exit(failed ? 1 : 0) // not left to the connections that agents kept

/** @returns whether the size was measured to its end. One that was not keeps the next from nothing. */
async function measured(size: number): Promise<boolean> {
  try {
    await measure(size, (figures) => print(figures, { output }))
    return true
  } catch (error) {
    const own = progress.left.filter((step) => step.startsWith(`${size} nodes: `))
    console.error(`not finished: ${own.join(', ')}: ${error instanceof Error ? error.message : String(error)}`)
    progress.drop(`${size} nodes: `)
    return false
  }
}

async function measure(count: number, tell: (figures: readonly Figure[]) => void): Promise<void> {
  const done = (step: (typeof STEPS)[number]) => progress.done(`${count} nodes: ${step}`)
  await using cluster = await createCluster({ nodes: [], heartbeatsWithin: 2 * LEASE, controlPlaneCores })
  const kube = createKubeClient(await loadKubeconfig(await agentsKubeconfig(cluster)))
  const { names } = await createKwokNodes(cluster, { nodes: count, version: versions.olderKubelet, leaseSeconds: LEASE })
  done('Ready')
  const product = await productOn(cluster)
  const deliver = await receivePushes(cluster, product)
  done('controller started')
  const ending = new AbortController()
  startInstantAgents(kube, { nodes: names, signal: ending.signal })
  const subject = { cluster, product, kube, count, deliver }
  const patched = { nodes: names, cpu: () => clusterCpu(cluster.slot) }
  await measureRollout(subject, { version: versions.olderKubelet, rollout })
  done('adopted')
  const before = await measurePatchRate(kube, patched)
  const flags = await measureRollout(subject, { version: versions.olderKubelet, flags: { v: 3 }, rollout })
  done('flags rolled out')
  const between = await measurePatchRate(kube, patched)
  tell(rolloutFigures(flags, { name: `${count} nodes, flags`, count, writes: 3, rates: [before, between] }))
  const version = await measureRollout(subject, { version: versions.kubernetes, flags: { v: 3 }, rollout })
  done('version rolled out')
  const after = await measurePatchRate(kube, patched)
  const { peak } = await usageOf(product.controller.pid)
  ending.abort()
  tell([
    ...rolloutFigures(version, { name: `${count} nodes, version`, count, writes: 4, rates: [between, after] }),
    { name: `${count} nodes: highest resident memory of the controller`, value: peak, unit: 'MB' },
  ])
}

interface Arguments {
  readonly sizes: readonly number[]
  readonly minutes: number
  readonly output: 'text' | 'json'
  /** The control plane has no cores of its own. */
  readonly sharedCores: boolean
}

/** Ends the process when an option is unknown, or its value is none of those it can have. */
function readArguments(): Arguments {
  const command = benchCommand()
    .option('--nodes <counts>', 'nodes of the fleets, one after the other', readCounts, [100, 500, 1000, 2000, 5000])
    .option('--shared-cores', 'the control plane has no cores of its own', false)
    .option('--minutes <count>', 'how long it may take', readUpTo(9_999), 60)
    .parse()
  const { nodes: sizes, ...others } = command.opts<Omit<Arguments, 'sizes'> & { readonly nodes: readonly number[] }>()
  return { sizes, ...others }
}

function readCounts(text: string): readonly number[] {
  return text.split(',').map(readCount)
}

async function leave(code: number): Promise<never> {
  for (const slot of ownSlots()) await abandon(slot)
  process.exit(code)
}
