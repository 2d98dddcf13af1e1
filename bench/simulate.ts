/**
 * `node bench/simulate.ts [--nodes N]`: what a simulated rollout of a new minor version over the workers of the example costs, 10% at a
 * time; 15,000 nodes unless told otherwise. CPU and memory are those of the whole process.
 */

import { DAY } from '../src/cli/simulate/options.ts'
import type { RepoSnapshot } from '../src/protocol/repo-snapshot.ts'
import { DEFAULT_TIMES } from '../src/simulate/agent-times.ts'
import { nodeObject } from '../src/simulate/node-objects.ts'
import { simulateFleet } from '../src/simulate/simulate-fleet.ts'
import { exampleCommit, POOL_LABELS } from './support/example-fleet.ts'
import { print, readOptions } from './support/report.ts'

const options = readOptions()
const count = options.nodes ?? 15_000
const startsAt = Date.parse('2026-11-21T22:00:00Z')

const started = performance.now()
const { outcome, endsAt } = await simulateFleet({
  from: exampleCommit(0),
  to: upgraded(exampleCommit(0)),
  nodes: Array.from({ length: count }, (_, index) => aWorker(index)),
  pods: [],
  ...{ startsAt, within: DAY, times: DEFAULT_TIMES, serverVersions: ['1.36.3'], fails: new Set<string>() },
})
if (outcome !== 'Completed') throw new Error(`simulate ${count} nodes: ${outcome} after ${(endsAt - startsAt) / 1000} s`)
const { user, system } = process.cpuUsage()
print(
  [
    { name: `simulate ${count} nodes: CPU`, value: (user + system) / 1e6, unit: 's', aim: 5 },
    { name: 'elapsed', value: (performance.now() - started) / 1000, unit: 's' },
    { name: 'resident, at most', value: process.resourceUsage().maxRSS / 1024, unit: 'MB', aim: 500 },
  ],
  options,
)

function upgraded(commit: RepoSnapshot): RepoSnapshot {
  const files = new Map(commit.files)
  const workers = files.get('pools/workers.yaml')
  if (workers?.kind !== 'file') throw new Error('read the example fleet: pools/workers.yaml is missing')
  const text = Buffer.from(workers.bytes).toString('utf8').replace('"1.35.4"', '"1.36.3"')
  files.set('pools/workers.yaml', { kind: 'file', bytes: Buffer.from(text) })
  return { ...commit, commit: 'f'.repeat(40), files }
}

function aWorker(index: number) {
  const zone = `zone-${index % 3}`
  const labels = { [POOL_LABELS.workers ?? '']: '', 'topology.kubernetes.io/zone': zone }
  const about = { arch: 'amd64', osImage: 'Debian GNU/Linux 12 (bookworm)', internalIP: undefined, kubeletVersion: undefined }
  return nodeObject({ name: `workers-${index}`, labels, ...about, ready: true, unschedulable: false }, startsAt)
}
