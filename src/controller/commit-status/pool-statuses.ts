import type { CommitState, CommitStatus } from '../../forge/status/commit-status.ts'
import { type HistoryEntry, NODE_PHASES, type NodePoolStatus, type PoolCondition } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'

export interface StatusSubject {
  readonly status: Partial<NodePoolStatus>
  readonly context: string
}

type Said = Pick<CommitStatus, 'state' | 'description'>

/**
 * What a pool says of the commits that it knows, the newest first: the one that nodes change to, the newest one of the branch, and those of
 * its history. Of a commit with contents of Secrets, its newest revision counts. Pure: everything stands in the NodePool, so whoever leads
 * says the same.
 */
export function statusesOf({ status, context }: StatusSubject): readonly CommitStatus[] {
  const { target, observedRevision: head, history = [] } = status
  const said = new Map<string, Said>()
  const say = (revision: string | undefined, make: () => Said) => {
    if (revision === undefined) return
    const commit = commitOf(revision)
    if (!said.has(commit)) said.set(commit, make())
  }
  const hasNewerContents = head !== target?.revision && isSameCommit(head, target?.revision)
  if (!hasNewerContents) say(target?.revision, () => underWay(status))
  say(head, () => notTaken(status, head))
  for (const [index, entry] of history.entries()) say(entry.revision, () => ended(entry, history[index - 1]))
  return [...said].map(([commit, what]) => ({ commit, context, ...what }))
}

function isSameCommit(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && commitOf(a) === commitOf(b)
}

/** A pool that went back runs its target: what failed is said of the commit that it came from. */
function underWay({ conditions: all = [], nodes, wave, target, observedRevision }: Partial<NodePoolStatus>): Said {
  const isNewest = isSameCommit(target?.revision, observedRevision)
  const conditions = isNewest ? all : all.filter(({ reason }) => !OF_THE_NEWEST.has(reason))
  const { total = 0, current = 0 } = nodes ?? {}
  if (wave === undefined && current === total) return { state: 'success', description: runningOn(total) }
  const { state, message } = all.length > 0 && conditions.length === 0 ? stuckAt(nodes) : findingIn(conditions)
  const waves = wave === undefined ? '' : `, wave ${wave.index} of ${wave.count}`
  return { state, description: `${current}/${total} nodes${waves}: ${message}` }
}

/** All that the pool says is about the newest commit: nothing moves, perhaps because a person paused it, or holds nodes. */
function stuckAt(nodes: NodePoolStatus['nodes'] | undefined): { readonly state: CommitState; readonly message: string } {
  const { byPhase = {} } = nodes ?? {}
  const others = NODE_PHASES.filter((phase) => phase !== 'Current' && byPhase[phase]).map((phase) => `${byPhase[phase]} ${phase}`)
  const told = others.length > 0 ? others.join(', ') : 'the others wait'
  return { state: 'pending', message: `${told}, see the condition Stalled of the pool` }
}

function runningOn(nodes: number): string {
  if (nodes === 0) return 'the pool selects no node'
  return nodes === 1 ? '1 node runs it' : `${nodes} nodes run it`
}

/** Reasons that lie in the commit itself. */
const IN_COMMIT: ReadonlySet<string> = new Set(['InvalidRepository', 'UntrustedCommit', 'RenderFailed'])

/** Of the newest commit, when nodes do not change to it. */
function notTaken({ conditions = [], history = [], rollback }: Partial<NodePoolStatus>, head: string | undefined): Said {
  const entry = history.find(({ revision }) => revision === head)
  if (entry !== undefined && entry.result !== 'Running') return ended(entry)
  if (rollback !== undefined && isSameCommit(rollback.from.revision, head))
    return { state: 'failure', description: `an operator rolled the pool back to ${rollback.to.revision.slice(0, 7)}` }
  const { state, reason, message } = findingIn(conditions)
  return { state: IN_COMMIT.has(reason) ? 'error' : state, description: message }
}

function ended({ result, message }: HistoryEntry, newer?: HistoryEntry): Said {
  switch (result) {
    case 'Completed':
      return { state: 'success', description: 'completed' }
    case 'Superseded':
    case 'Running':
      return { state: 'error', description: newer ? `superseded by ${newer.revision.slice(0, 7)}` : 'superseded' }
    case 'Halted':
      return { state: 'failure', description: `halted: ${message ?? 'nodes failed'}` }
    case 'RolledBack':
      return { state: 'failure', description: `rolled back: ${message ?? 'nodes failed'}` }
  }
}

/** Reasons that tell of the newest commit, whatever nodes change to. */
const OF_THE_NEWEST: ReadonlySet<string> = new Set(['InvalidRepository', 'UntrustedCommit', 'CommitNeedsPromotion', 'RolledBack'])

/** A person has to act, and nothing is wrong with the commit. */
const WAITS_FOR_A_PERSON: ReadonlySet<string> = new Set(['CommitNeedsPromotion', 'WaitingForPromotion', 'Paused'])

/** An obstacle comes before work that goes on beside it. */
function findingIn(conditions: readonly PoolCondition[]): {
  readonly state: CommitState
  readonly reason: string
  readonly message: string
} {
  const holds = (type: string) => conditions.find((condition) => condition.type === type && condition.status === 'True')
  const [stalled, working] = [holds('Stalled'), holds('Reconciling')]
  const { reason, message } = stalled ?? working ?? conditions[0] ?? { reason: '', message: 'the pool has not been decided yet' }
  return { state: stalled && !WAITS_FOR_A_PERSON.has(reason) ? 'failure' : 'pending', reason, message }
}
