/** Pull requests on a real forge: the plan as one comment, the check that the branch requires, and a revert. */
import { versions } from '../build/versions.ts'
import { runPlanJob } from '../product/pull-request-plan.ts'
import { check } from '../scenario.ts'
import type { World } from './world.ts'

const CHECK = 'nodewave/plan'
/** Gitea's answer to a merge that it refuses. */
const REFUSED = 405

interface Comment {
  readonly id: number
  readonly body: string
}

/** Gives the commit of the merge. */
export async function reviewed(world: World): Promise<string> {
  const { repository, fleet, settled } = world
  await protect(world)
  const upgrade = { version: versions.kubernetes }
  const number = await repository.propose('upgrade', await fleet(83, upgrade))
  check('nothing is merged before the check', (await repository.tryMerge(number)) === REFUSED)
  const first = await plan(world, number)
  check('the plan passes', first.code === 0 && first.stderr.includes(`pull request ${number} is created`), first)
  const [before] = await commentsOn(world, number)
  await repository.addTo('upgrade', await fleet(84, upgrade))
  check('the check is one of the newest commit', (await repository.tryMerge(number)) === REFUSED)
  const second = await plan(world, number)
  check('the plan is updated', second.code === 0 && second.stderr.includes(`pull request ${number} is updated`), second)
  const comments = await commentsOn(world, number)
  check('there is one comment, the same as before', comments.length === 1 && comments[0]?.id === before?.id, comments)
  check('it shows both changes', /config\.maxPods/.test(comments[0]?.body ?? ''), comments)
  check('it shows the version', comments[0]?.body.includes(versions.kubernetes) ?? false, comments)
  const commit = await repository.merge(number)
  await settled(commit)
  check(
    'the forge has no plan beside the merge',
    (await repository.statuses(commit)).every(({ context }) => context !== CHECK),
  )
  return commit
}

/** A change that no kubelet starts with fails the check, and cannot be merged. */
export async function refusedByCheck(world: World): Promise<void> {
  const { repository, fleet } = world
  const number = await repository.propose('broken', await fleet(-1))
  const { code, stdout } = await plan(world, number)
  check('the plan fails', code === 2, stdout)
  const [comment] = await commentsOn(world, number)
  check('the comment says why', comment?.body.includes('maxPods') ?? false, comment)
  check('it cannot be merged', (await repository.tryMerge(number)) === REFUSED)
}

/** The way back is a pull request, too. */
export async function reverted(world: World, merge: string): Promise<void> {
  const { repository, settled } = world
  const number = await repository.proposeRevert('back', merge)
  const { code } = await plan(world, number)
  check('the plan of the revert passes', code === 0)
  const commit = await repository.merge(number)
  await settled(commit)
  await world.shows(commit, 'success')
}

async function protect({ gitea, repository }: World): Promise<void> {
  const body = {
    ...{ rule_name: 'main', enable_push: true, block_admin_merge_override: true },
    ...{ enable_status_check: true, status_check_contexts: [CHECK] },
  }
  await gitea.api.ask(`/repos/${repository.name}/branch_protections`, { method: 'POST', body })
}

export async function plan({ cluster, gitea, repository }: World, number: number) {
  const token = await gitea.token(`plan-${number}-${performance.now()}`, ['write:repository', 'write:issue', 'read:user'])
  return runPlanJob(cluster, { gitea, repository, number, token })
}

function commentsOn({ gitea, repository }: World, number: number): Promise<readonly Comment[]> {
  return gitea.api.ask(`/repos/${repository.name}/issues/${number}/comments`)
}
