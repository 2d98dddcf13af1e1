/** The end of a cluster: what is kept of it, and that nothing else is left. */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot } from '../build/cache.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { saveJournal } from '../cluster/node.ts'
import { check, type Report } from '../scenario.ts'
import { readSettings, settingsChanged } from './machine-settings.ts'

const settingsBefore = readSettings()

/** @throws when something is left of it */
export async function takeAway(cluster: Cluster, report: Report): Promise<void> {
  await report.part('teardown', async () => cluster[Symbol.asyncDispose]())
  const changed = settingsChanged(settingsBefore, readSettings())
  check('the settings of the machine are as before', changed.length === 0, changed)
}

/** Everything that was written, for reading after the cluster is gone. */
export async function saveLogs(cluster: Cluster, report: Report, scenario: string): Promise<void> {
  const dir = join(cacheRoot, 'failures', scenario.replaceAll(/[^\w-]+/g, '-'))
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  const logs = cp(join(cluster.slot.dir, 'logs'), dir, { recursive: true })
  await Promise.allSettled([logs, ...cluster.nodes.map((node) => saveJournal(node, dir))])
  report.say(`logs: ${dir}`)
}
