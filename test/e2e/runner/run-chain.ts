/** Scenarios one after another on the cluster that they share; after one that failed the next gets a cluster of its own. */
import { type Cluster, createCluster } from '../cluster/cluster.ts'
import { keep as keepSlot } from '../cluster/slot.ts'
import type { Report, Scenario } from '../scenario.ts'
import { saveLogs, takeAway } from './end-cluster.ts'
import { createReport, type PartResult, type ScenarioResult } from './results.ts'

export interface ChainOptions {
  /** Leave the cluster standing. */
  readonly keep: boolean
  readonly say: (line: string) => void
}

export async function runChain(chain: readonly Scenario[], { keep, say }: ChainOptions): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = []
  let cluster: Cluster | undefined
  for (const [index, scenario] of chain.entries()) {
    const { name } = scenario
    const started = performance.now()
    const parts: PartResult[] = []
    const report = createReport(parts, (line) => say(`${name}: ${line}`))
    const ran = await runOne(scenario, { cluster, report })
    const isLast = index === chain.length - 1
    const isOver = isLast || ran.error !== undefined
    const trouble = ran.cluster && isOver ? await end(ran.cluster, { keep: keep && isLast, report }) : undefined
    cluster = isOver ? undefined : ran.cluster
    const error = ran.error ?? trouble
    const seconds = Math.round(performance.now() - started) / 1000
    results.push({ name, passed: error === undefined, seconds, parts, ...(error === undefined ? {} : { error }) })
  }
  return results
}

interface Ran {
  readonly cluster: Cluster | undefined
  readonly error?: string
}

/** On the cluster that it is given, or one of its own. */
async function runOne(
  { name, nodes, run }: Scenario,
  { cluster: given, report }: { readonly cluster: Cluster | undefined; readonly report: Report },
): Promise<Ran> {
  let cluster = given
  try {
    cluster ??= await report.part('cluster up', () => createCluster({ nodes, progress: () => undefined }))
    await run(cluster, report)
    return { cluster }
  } catch (cause) {
    const error = told(cause)
    report.say(`failed: ${error}`)
    if (cluster !== undefined) await saveLogs(cluster, report, name)
    return { cluster, error }
  }
}

/** Gives what is wrong afterwards, if anything is. */
async function end(
  cluster: Cluster,
  { keep, report }: { readonly keep: boolean; readonly report: Report },
): Promise<string | undefined> {
  if (keep) {
    await keepSlot(cluster.slot)
    const { kubeconfig } = cluster
    report.say(`kept: export KUBECONFIG=${kubeconfig}; node test/e2e/enter.ts n1; node test/e2e/main.ts --teardown`)
    return undefined
  }
  try {
    await takeAway(cluster, report)
    return undefined
  } catch (error) {
    report.say(`failed: ${told(error)}`)
    return told(error)
  }
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
