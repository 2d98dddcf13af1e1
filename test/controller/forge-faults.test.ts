import { expect, test } from 'vitest'
import { githubDeployments } from '../../src/forge/deployment/github-deployments.ts'
import { revertRequestsOn } from '../../src/forge/revert/reverts-on.ts'
import { githubStatuses } from '../../src/forge/status/github-statuses.ts'
import { aFleet } from './a-fleet.ts'
import { aFaultyForge, FAULTS, type FaultyForge } from './faulty-forge.ts'
import { aStage, POOLS, readyOf } from './stage.ts'

const B = 'b'.repeat(40)
const rollout = 'maxUnavailable: 1, onFailure: Rollback'

/** Statuses, deployments and reverts, all of one forge. */
function clientsOf({ url }: FaultyForge) {
  const access = { url, repository: 'platform/fleet', token: async () => 'secret', now: () => 0 }
  return {
    commitStatuses: { statuses: githubStatuses(access), prefix: 'nodewave' },
    deployments: { statuses: githubDeployments(access), prefix: 'nodewave' },
    reverts: { requests: revertRequestsOn('github', access), base: 'main', folder: '', context: 'nodewave' },
  }
}

/** What is told of the commit that failed. */
const TRUTH = [`POST /statuses/${B} failure`, 'POST /deployments/1/statuses failure', 'POST /git/refs', 'POST /pulls']

/** The longest wait that the forge asks for. */
const HOUR = 3_600_000

test.each(Object.keys(FAULTS))('a forge that %s delays no rollout, and shows the truth when it is back', async (name) => {
  await using stage = await aStage()
  await using forge = await aFaultyForge()
  await stage.addNodes(3)
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  forge.set(FAULTS[name])
  stage.startController(clientsOf(forge))
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ rollout, v: 4 }))
  await stage.clock.passUntil(
    stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack'),
    { atMost: HOUR },
  )
  // All of that with the fault.
  await forge.until(() => forge.failed >= 2)

  forge.set(undefined)
  const told = forge.until(() => TRUTH.every((line) => forge.done.includes(line)))
  await stage.clock.passUntil(told, { atMost: HOUR })
  expect(forge.done.filter((line) => line === 'POST /pulls')).toHaveLength(1)
})
