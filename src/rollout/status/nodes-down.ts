import { rollbackAsked, rollbackChoices } from '../controls/rollback.ts'
import { isApplied } from '../model/agent-report.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { resolveShare } from '../model/share.ts'
import { listNames, shortName } from '../model/text.ts'
import { isInRollout } from '../model/wanted-assignment.ts'
import type { Explanation } from './explanation.ts'
import { holdCommand, rollbackCommand } from './remedies.ts'

/** What a commit does to a node may show only after its soak, or after the rollout; then the pool does not go back by itself. */
export function nodesDown({ pool, rollout, members, notAtRest }: PoolState): Explanation | undefined {
  if (rollout.state !== 'Completed' && rollout.state !== 'InProgress') return undefined
  const down = notAtRest.filter((member) => hasGoneDown(member, rollout.startedAt))
  if (down.length <= resolveShare(pool.policy.maxFailures, members.length)) return undefined
  const { memory, target } = rollout
  const before = rollbackAsked('', { memory, choices: rollbackChoices(memory, pool.kept ?? pool.known) })
  const remedy = before
    ? `if the commit is to blame: ${rollbackCommand(pool.name, before)}`
    : 'if the commit is to blame, push a fix'
  const names = listNames(down.map(({ node }) => node.name).sort())
  return {
    reason: 'NodesDown',
    message: `${names} went down after ${shortName(target)} was applied there${describeSilent(down)}; ${remedy}`,
  }
}

/** A kubelet that reports is on a machine that runs; one that does not may have died, or its machine may be off. */
function describeSilent(down: readonly Member[]): string {
  const names = down.flatMap(({ node }) => (node.silent ? [node.name] : [])).sort()
  const [first] = names
  if (first === undefined) return ''
  return `; nothing is heard from ${listNames(names)}: if somebody stopped the machine, ${holdCommand(first)}`
}

/** Ready when this rollout changed it, and down for longer than its work may take. A machine that was shut down says nothing of the commit. */
function hasGoneDown({ node, report, assigned, progress }: Member, rolloutStart: number): boolean {
  if (!assigned || node.assigned?.at === undefined || node.ready || node.shutDown || !isApplied(report)) return false
  if (!isInRollout(node.assigned, { rolloutStart }) || node.readySince <= node.assigned.at) return false
  return progress.phase === 'Unreachable' && !progress.pending
}
