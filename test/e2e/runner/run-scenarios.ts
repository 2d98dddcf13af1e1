/** Run scenarios one after another, each on its cluster, and look after every teardown that nothing is left. */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot } from '../build/cache.ts'
import { type Cluster, createCluster } from '../cluster/cluster.ts'
import { saveJournal } from '../cluster/node.ts'
import { keep, type Slot } from '../cluster/slot.ts'
import { waitUntil } from '../cluster/wait.ts'
import { check, type Scenario } from '../scenario.ts'
import { readSettings, settingsChanged } from './machine-settings.ts'
import { createReport, type PartResult, type ScenarioResult } from './results.ts'
import { tracesOf } from './traces.ts'

export interface RunnerOptions {
  /** Leave the last cluster standing. */
  readonly keep: boolean
  readonly say: (line: string) => void
}

export async function runScenarios(scenarios: readonly Scenario[], options: RunnerOptions): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = []
  let cluster: Cluster | undefined
  for (const [index, scenario] of scenarios.entries()) {
    const next = scenarios[index + 1]
    const started = performance.now()
    const parts: PartResult[] = []
    const report = createReport(parts, (line) => options.say(`  ${line}`))
    options.say(scenario.name)
    let error: string | undefined
    try {
      cluster ??= await report.part('cluster up', () => createCluster({ nodes: scenario.nodes, progress: () => undefined }))
      await scenario.run(cluster, report)
    } catch (cause) {
      error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
      options.say(`  failed: ${error}`)
      if (cluster !== undefined) options.say(`  logs: ${await saveLogs(cluster, scenario.name)}`)
    }
    const shared = error === undefined && scenario.group !== undefined && next?.group === scenario.group
    if (cluster !== undefined && !shared) {
      const ended = await endCluster(cluster, { report, kept: options.keep && next === undefined, say: options.say })
      error ??= ended
      cluster = undefined
    }
    const seconds = Math.round(performance.now() - started) / 1000
    results.push({ name: scenario.name, passed: error === undefined, seconds, parts, ...(error === undefined ? {} : { error }) })
  }
  return results
}

const settingsBefore = readSettings()

interface EndOptions extends Pick<RunnerOptions, 'say'> {
  readonly report: ReturnType<typeof createReport>
  readonly kept: boolean
}

/** Gives what is wrong afterwards, if anything is. */
async function endCluster(cluster: Cluster, { report, kept, say }: EndOptions): Promise<string | undefined> {
  if (kept) {
    await keep(cluster.slot)
    say(`  kept: export KUBECONFIG=${cluster.kubeconfig}; node test/e2e/enter.ts n1; node test/e2e/main.ts --teardown`)
    return undefined
  }
  try {
    await report.part('teardown', async () => cluster[Symbol.asyncDispose]())
    await nothingLeft(cluster.slot)
    return undefined
  } catch (error) {
    say(`  failed: ${error instanceof Error ? error.message : error}`)
    return String(error)
  }
}

/** A link goes with the network namespace it led into, which the kernel takes apart in its own time. */
async function nothingLeft(slot: Slot): Promise<void> {
  const nothing = () => {
    const left = [...tracesOf(slot), ...settingsChanged(settingsBefore, readSettings())]
    check('nothing is left of the cluster', left.length === 0, left)
    return true
  }
  await waitUntil(nothing, { for: 'the cluster to be gone', timeoutMs: 30_000 })
}

/** Everything that was written, for reading after the cluster is gone. */
async function saveLogs(cluster: Cluster, name: string): Promise<string> {
  const dir = join(cacheRoot, 'failures', name.replaceAll(/[^\w-]+/g, '-'))
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  await cp(join(cluster.slot.dir, 'logs'), dir, { recursive: true })
  await Promise.allSettled(cluster.nodes.map((node) => saveJournal(node, dir)))
  return dir
}
