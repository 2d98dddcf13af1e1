import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { type AgentStatus, ASSIGNMENT_REPLAYED, parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import type { StoredChange } from '../../../src/sim/apiserver/storage/change.ts'
import { type Assignment, assignmentIn, hasEnded, isBlocked } from './assignment.ts'
import { budget, disturbs } from './invariants/budget.ts'
import { dependenciesKept } from './invariants/dependencies-kept.ts'
import { drainedFirst } from './invariants/drained-first.ts'
import { failuresAreReal } from './invariants/failures-are-real.ts'
import { fewExposed } from './invariants/few-exposed.ts'
import { goodIsKept } from './invariants/good-is-kept.ts'
import { laterWaves } from './invariants/later-waves.ts'
import { notReadyWasDown } from './invariants/not-ready-was-down.ts'
import { nothingGivenBack } from './invariants/nothing-given-back.ts'
import { nothingRejected } from './invariants/nothing-rejected.ts'
import { podBudget } from './invariants/pod-budget.ts'
import { refusedAsOlder } from './invariants/refused-as-older.ts'
import { soaksLast } from './invariants/soaks-last.ts'
import { statusesRest } from './invariants/statuses-rest.ts'
import { stoppedPools } from './invariants/stopped-pools.ts'
import type { World } from './world.ts'

/** What must hold of every assignment, at the moment it is written. Each is one file in `invariants/`, and stands in the list below. */
export interface Invariant {
  readonly claim: string
  readonly holds: (assignment: Assignment, world: World) => boolean
}

/** What must hold whenever a pod is told to go. */
export interface PodInvariant {
  readonly claim: string
  /** @param pod as it was before */
  readonly holds: (pod: KubeObject, world: World) => boolean
}

/** What must hold of each report of an agent. */
export interface ReportInvariant {
  readonly claim: string
  /** @param ran the content that its host ran when the agent had last ended an assignment */
  readonly holds: (said: AgentStatus, ran: string | undefined) => boolean
}

/** What must hold of each status of a pool. */
export interface PoolInvariant {
  readonly claim: string
  readonly holds: (pool: KubeObject, world: World) => boolean
}

const INVARIANTS: readonly Invariant[] = [budget, nothingRejected, stoppedPools, drainedFirst, fewExposed]
const POD_INVARIANTS: readonly PodInvariant[] = [podBudget]
const REPORT_INVARIANTS: readonly ReportInvariant[] = [nothingGivenBack]
const POOL_INVARIANTS: readonly PoolInvariant[] = [
  dependenciesKept,
  laterWaves,
  refusedAsOlder,
  notReadyWasDown,
  goodIsKept,
  failuresAreReal,
  soaksLast,
  statusesRest,
]

/** From now on every write is looked at; what does not hold is noted in the world. */
export function watchOver(world: World): void {
  world.store.collection('nodes').listen((change) => {
    world.statusWrites.clear()
    const assignment = assignmentIn(change)
    if (assignment && !world.isRestoring) judge(assignment, world)
    const node = change.entry.object as unknown as KubeObject
    if (!world.isRestoring) judgeReport(change, world)
    if (change.type === 'DELETED' || hasEnded(node) || isBlocked(node)) world.disturbed.delete(node.metadata.name)
  })
  world.store.collection('pods').listen(({ entry, previous }) => {
    const { name, deletionTimestamp } = entry.object.metadata
    if (!deletionTimestamp || !previous || previous.object.metadata.deletionTimestamp) return
    const before = previous.object as unknown as KubeObject
    world.tell(`pod ${name} is told to go`)
    for (const { claim, holds } of POD_INVARIANTS)
      if (!holds(before, world)) world.broken.push(`pod ${name}: it does not hold that ${claim}`)
  })
  world.store.collection('nodepools.nodewave.io').listen(({ entry }) => {
    const pool = entry.object as unknown as KubeObject
    if (world.isRestoring) world.statusWrites.clear()
    for (const { claim, holds } of POOL_INVARIANTS)
      if (!holds(pool, world)) world.broken.push(`pool ${pool.metadata.name}: it does not hold that ${claim}`)
  })
}

const REPORT = 'nodewave.io/status'

function judgeReport({ entry, previous }: StoredChange, { machines, broken, exposed }: World): void {
  const { name = '', annotations = {} } = entry.object.metadata
  const status = parseAgentStatus(annotations[REPORT])
  if (status === undefined) return
  // After a restore of etcd, a Node shows what its agent said before the backup, until the agent writes.
  const isSaidNow = annotations[REPORT] !== previous?.object.metadata.annotations?.[REPORT]
  for (const { claim, holds } of REPORT_INVARIANTS)
    if (isSaidNow && !holds(status, machines.get(name)?.ran)) broken.push(`${name}: it does not hold that ${claim}`)
  // It was given nothing.
  if (status.error?.reason === ASSIGNMENT_REPLAYED) for (const { nodes } of exposed.values()) nodes.delete(name)
}

function judge(assignment: Assignment, world: World): void {
  const { node, desired } = assignment
  world.tell(`${node} is assigned ${desired.REVISION?.slice(-4)}, grant ${desired.GRANT}`)
  for (const { claim, holds } of INVARIANTS)
    if (!holds(assignment, world)) world.broken.push(`${node}: it does not hold that ${claim}`)
  if (disturbs(assignment, world)) world.disturbed.add(node)
  world.assignedAt.set(node, world.clock.elapsed())
}
