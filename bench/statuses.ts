/**
 * `node bench/statuses.ts`: how many statuses a rollout posts beside its commit, and what requests that is at a forge: a rollout of the
 * workers of the example in virtual time, by the rules that the controller posts by. Forges limit the number of both.
 */

import { DAY } from '../src/cli/simulate/options.ts'
import { duePosts, keyOf, type Posted, type Wanted } from '../src/controller/commit-status/due-posts.ts'
import { statusesOf } from '../src/controller/commit-status/pool-statuses.ts'
import { cutDescription } from '../src/forge/status/cut-description.ts'
import type { KubeObject } from '../src/kube/kube-api.ts'
import type { NodePoolStatus } from '../src/protocol/node-pool.ts'
import { inProcessClient } from '../src/sim/apiserver/in-process-client.ts'
import { DEFAULT_TIMES } from '../src/simulate/agent-times.ts'
import { POOLS } from '../src/simulate/record-rollouts.ts'
import { simulateFleet } from '../src/simulate/simulate-fleet.ts'
import { exampleCommit } from './support/example-fleet.ts'
import { aWorker, STARTS_AT, upgraded } from './support/example-workers.ts'
import { type Figure, print, readOptions } from './support/report.ts'

interface Said {
  readonly at: number
  readonly wanted: readonly Wanted[]
}

/** Characters that GitHub and Gitea show. */
const LONGEST = 140
const options = readOptions()
const figures: Figure[] = []
for (const count of options.nodes === undefined ? [40, 4000] : [options.nodes]) {
  const { said, endsAt } = await rollout(count)
  const posts = postsOf(said, endsAt)
  figures.push(
    { name: `${count} nodes: duration of the rollout`, value: (endsAt - STARTS_AT) / 1000, unit: 's' },
    { name: `${count} nodes: statuses posted`, value: posts, unit: 'requests', aim: 1000 },
  )
}
print(figures, options)

/** Every status that the pool had, and when. */
async function rollout(count: number): Promise<{ readonly said: readonly Said[]; readonly endsAt: number }> {
  const said: Said[] = []
  const nodes = Array.from({ length: count }, (_, index) => aWorker(index))
  const about = { startsAt: STARTS_AT, within: DAY, times: DEFAULT_TIMES, serverVersions: ['1.36.3'], fails: new Set<string>() }
  const { outcome, endsAt } = await simulateFleet(
    { from: exampleCommit(0), to: upgraded(exampleCommit(0)), nodes, pods: [], ...about },
    {
      clientOf(core) {
        core.store.collection(POOLS).listen(({ entry }) => {
          const { metadata, status = {} } = entry.object as unknown as KubeObject & { status?: Partial<NodePoolStatus> }
          if (metadata.name === 'workers') said.push({ at: core.now(), wanted: wantedOf(status) })
        })
        return inProcessClient(core)
      },
    },
  )
  if (outcome !== 'Completed') throw new Error(`roll out over ${count} nodes: ${outcome}`)
  return { said, endsAt }
}

function wantedOf(status: Partial<NodePoolStatus>): Wanted[] {
  const current = status.target?.revision
  return statusesOf({ status, context: 'nodewave/workers' }).map((each) => ({
    ...each,
    description: cutDescription(each.description, LONGEST),
    isPast: each.commit !== current,
  }))
}

/** As the controller would have posted them: when the pool changed, and when a description had waited long enough. */
function postsOf(said: readonly Said[], endsAt: number): number {
  const posted = new Map<string, Posted>()
  let posts = 0
  for (const [index, { at, wanted }] of said.entries()) {
    const until = said[index + 1]?.at ?? endsAt + DAY
    for (let now: number | undefined = at; now !== undefined && now < until; ) {
      const { due, wakeAt } = duePosts(wanted, { posted }, now)
      for (const status of due)
        posted.set(keyOf(status), { ...status, at: now, count: (posted.get(keyOf(status))?.count ?? 0) + 1 })
      posts += due.length
      now = wakeAt
    }
  }
  return posts
}
