/** Git all the way through a real forge: webhook, statuses, reviews with the plan, a protected branch, keys, and the forge away. */
import type { Cluster } from '../cluster/cluster.ts'
import { proposedRevert, unneededRevert } from '../forge/proposed-reverts.ts'
import { forgeAway, measurePushes, pushAndStatuses, rotatedToken, wrongSecret } from '../forge/pushes.ts'
import { refusedByCheck, reverted, reviewed } from '../forge/reviews.ts'
import { signedOverSsh } from '../forge/signed-over-ssh.ts'
import { twoClusters } from '../forge/two-clusters.ts'
import { forgeWorld } from '../forge/world.ts'
import type { Report, Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'forge', nodes: [], builds: ['gitea'], run: forge }]

async function forge(cluster: Cluster, report: Report): Promise<void> {
  const { part } = report
  const ending = new AbortController()
  try {
    const world = await forgeWorld(cluster, report, ending.signal)
    await part('a push starts its rollout, and the forge shows it', () => pushAndStatuses(world))
    await part('pushes, one after another', () => measurePushes(world, report))
    await part('a wrong secret of the webhook', () => wrongSecret(world))
    await part('a rotated token', () => rotatedToken(world))
    await part('the forge is away', () => forgeAway(world))
    const merge = await part('a pull request: plan, update, merge', () => reviewed(world))
    await part('a pull request that fails the check', () => refusedByCheck(world))
    await part('a revert by a pull request', () => reverted(world, merge))
    await part('a commit that fails is reverted by a pull request', () => proposedRevert(world))
    await part('a revert that nobody needs is closed', () => unneededRevert(world))
    await part('SSH with a deploy key, and signed commits only', () => signedOverSsh(world))
    await twoClusters(world, report, ending.signal)
  } finally {
    ending.abort()
  }
}
