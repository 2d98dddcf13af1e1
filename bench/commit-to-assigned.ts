/**
 * `node bench/commit-to-assigned.ts [--nodes N]`: from a commit in the example fleet until the first node is seen to be assigned its new
 * configuration; the real controller, API server and Git server in this one process. Medians.
 * A path on this machine is counted from the end of `git commit`, so the file event is included. Over smart HTTP it is counted from
 * the beginning of the poll that finds the commit.
 */
import diagnostics from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { type ControllerSetup, runController } from '../src/cli/controller/run-controller.ts'
import { machines } from '../src/demo/simulated-fleet.ts'
import { parseDesiredConfig } from '../src/protocol/desired-config.ts'
import { API_GROUP, API_VERSION, NODEPOOLS, namesFor } from '../src/protocol/names.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { startCluster, whenSeen } from './support/cluster.ts'
import { changeAllNodes, startFleetRepository } from './support/fleet-repository.ts'
import { startInstantAgents } from './support/instant-agents.ts'
import { aNode, register } from './support/nodes.ts'
import { median, print, readOptions } from './support/report.ts'

const RUNS = 15
/** Milliseconds. Long enough that no poll comes between the one that finds a commit and the first assignment. */
const POLL = 1000
/** Those of the example that have nodes here: a pool without nodes completes nothing. */
const POOLS = ['control-plane', 'gpu', 'workers']
const names = namesFor()
const options = readOptions()
const count = options.nodes ?? 100

const byPath = await measure('path')
const byUrl = await measure('url')
print(
  [
    { name: `commit to first assignment, local path, ${count} nodes`, value: median(byPath), unit: 'ms', aim: 200 },
    { name: 'commit to first assignment, local path, slowest', value: Math.max(...byPath), unit: 'ms' },
    { name: `poll to first assignment, smart HTTP, ${count} nodes`, value: median(byUrl), unit: 'ms', aim: 200 },
    { name: 'poll to first assignment, smart HTTP, slowest', value: Math.max(...byUrl), unit: 'ms' },
  ],
  options,
)

/** @returns milliseconds of each run */
async function measure(way: 'path' | 'url'): Promise<number[]> {
  await using cluster = await startCluster()
  await using repository = await startFleetRepository(cluster.folder)
  const { git, url } = repository
  const { kube, kubeconfig } = cluster
  const fleet = machines(count)
  const ending = new AbortController()
  const { signal } = ending
  await register(kube, fleet.map(aNode))
  startInstantAgents(kube, { nodes: fleet.map(({ name }) => name), signal })
  const first = await git.commit('fleet: the machines as they are to be')
  await git.push()
  const log: ControllerSetup['log'] = (level, message) => level === 'error' && console.error(message)
  const setup = { repo: way === 'path' ? git.folder : url, kubeconfig, poll: POLL, cwd: cluster.folder, env: {}, log }
  const controlling = runController({ ceiling: false, ...setup }, signal)
  await completed(first)
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const polls = notePolls()
    const commit = await changeAllNodes(git, run)
    const start = performance.now()
    const assigned = whenSeen(kube, {
      path: '/api/v1/nodes',
      wanted: ({ metadata }) => revisionOf(metadata.annotations) === commit,
    })
    await git.push()
    const end = await assigned
    // The last one: the fetch of what it found asks for no branches.
    const asked = polls.stop().at(-1)
    const from = way === 'path' ? start : asked
    if (from === undefined) throw new Error(`commit "${commit}": the Git server was not asked for its branches`)
    times.push(end - from)
    await completed(commit)
  }
  ending.abort()
  await controlling
  return times

  function completed(commit: string): Promise<number> {
    const stable = new Map<string, string | undefined>()
    return whenSeen(kube, {
      path: `/apis/${API_GROUP}/${API_VERSION}/${NODEPOOLS}`,
      wanted: ({ metadata, status }) => {
        stable.set(metadata.name, (status as Partial<NodePoolStatus> | undefined)?.stable?.revision)
        return POOLS.every((pool) => stable.get(pool) === commit)
      },
    })
  }
}

function revisionOf(annotations: Readonly<Record<string, string>> = {}): string | undefined {
  const desired = annotations[names.desiredConfig]
  return desired === undefined ? undefined : parseDesiredConfig(desired).REVISION
}

/** When the Git server, which is in this process, was asked for its branches. */
function notePolls(): { stop(): readonly number[] } {
  const channel = 'http.server.request.start'
  const times: number[] = []
  const note = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.url?.includes('/info/refs?service=git-upload-pack')) times.push(performance.now())
  }
  diagnostics.subscribe(channel, note)
  return {
    stop() {
      diagnostics.unsubscribe(channel, note)
      return times
    },
  }
}
