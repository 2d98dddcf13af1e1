/** A commit that fails on the nodes: the controller opens the revert, and closes it when people go on in another way. */
import { waitUntil } from '../cluster/wait.ts'
import { waitPool } from '../product/pool.ts'
import { check } from '../scenario.ts'
import { plan } from './reviews.ts'
import type { World } from './world.ts'

interface Pull {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: string
  readonly head: { readonly ref: string }
}

/** The merge of the pull request brings the pool back to Ready. */
export async function proposedRevert(world: World): Promise<void> {
  const { repository, settled, shows } = world
  const commit = await pushFailing(world, 95)
  const { number, title, body } = await revertOf(world, commit, 'open')
  check('its title names the commit and the pool', title === `Revert ${commit.slice(0, 12)}: it failed in workers`, title)
  check('it says what the nodes said', body.includes('kubelet exited 3 times') && body.includes('workers-config.yaml'), body)
  const { code } = await plan(world, number)
  check('its plan passes', code === 0)
  const merge = await repository.merge(number)
  await settled(merge)
  await shows(merge, 'success')
  check('there is one pull request', (await revertsOf(world, commit)).length === 1)
}

/** People push a commit that mends it, instead of the revert. */
export async function unneededRevert(world: World): Promise<void> {
  const { repository, fleet, settled } = world
  const commit = await pushFailing(world, 96)
  await revertOf(world, commit, 'open')
  await settled(await repository.push(await fleet(97), 'works again'))
  const { body } = await revertOf(world, commit, 'closed')
  check('it says why it is closed', body.includes('Closed by the controller of nodewave'), body)
}

async function pushFailing({ cluster, repository, fleet, failing }: World, maxPods: number): Promise<string> {
  await repository.commit(await fleet(maxPods), 'fails on every node')
  const commit = await repository.git(['rev-parse', 'HEAD'])
  failing.add(commit)
  await repository.publish()
  await waitPool(cluster, { for: 'the commit to fail', when: ({ rejected }) => rejected[0]?.revision === commit })
  return commit
}

function revertOf(world: World, commit: string, state: string): Promise<Pull> {
  const look = async () => (await revertsOf(world, commit)).find((pull) => pull.state === state)
  return waitUntil(look, { for: `a revert of ${commit} that is ${state}`, everyMs: 200 })
}

async function revertsOf({ gitea, repository }: World, commit: string): Promise<readonly Pull[]> {
  const pulls = await gitea.api.ask<readonly Pull[]>(`/repos/${repository.name}/pulls?state=all&limit=50`)
  return pulls.filter(({ head }) => head.ref === `nodewave/revert-${commit.slice(0, 12)}`)
}
