import { uncordonStrays } from '../rollout/drain/strays.ts'
import type { Action, Decision } from '../rollout/model/decision.ts'
import type { Instant } from '../rollout/model/instant.ts'
import type { ControllerParts } from './controller-parts.ts'
import { firstCommitEvents, objectEvents } from './events/object-events.ts'
import { type Executed, execute } from './execution/execute.ts'
import { forEach, throwFirst } from './execution/for-each.ts'
import { mirrorPools } from './node-pools/mirror-pools.ts'
import type { HeadState } from './revisions/head-intake.ts'
import { type AcceptedHead, followDrains, type Gathered, gather, renderedFor } from './snapshot/gather.ts'
import { completeStatus } from './status/complete-status.ts'

/**
 * Looks at everything once, decides, and acts.
 * @returns when to pass again though nothing changes; undefined when only a change can bring anything new.
 * @throws {KubeError} when the server cannot be reached; nothing is lost by passing again later.
 */
export async function pass(parts: ControllerParts): Promise<Instant | undefined> {
  if (parts.requests.isNew(parts.cluster.pools.items.values())) parts.ports.source.look()
  const unkept = await parts.intake.absorb()
  const { fleet, ...head } = parts.intake.state
  const passed = fleet ? await passWith(parts, { ...head, fleet }) : await passWithout(parts, head)
  throwFirst([...unkept, ...passed.failures])
  return passed.wakeAt
}

interface Passed {
  readonly wakeAt: Instant | undefined
  /** What was refused; the rest was carried out. */
  readonly failures: readonly unknown[]
}

/** How often it is told, in milliseconds, that not even the first commit is taken. */
const TELL_AGAIN = 10 * 60_000

async function passWithout({ ports, settings, events }: ControllerParts, head: HeadState): Promise<Passed> {
  const now = ports.clock.now()
  const problems = firstCommitEvents(head, settings.namespace)
  await events.recordAnew(problems, now)
  return { wakeAt: problems.length === 0 ? undefined : now + TELL_AGAIN, failures: [] }
}

async function passWith(parts: ControllerParts, head: AcceptedHead): Promise<Passed> {
  const now = parts.ports.clock.now()
  const unmirrored = await mirrorPools({ kube: parts.ports.kube, pools: parts.cluster.pools }, head.fleet)
  const gathered = await gather(parts, head)
  const { decisions, undecided } = parts.decider.decide(gathered.fleet, now)
  const { executed, failed, failures, wakes } = await carryOut(parts, { head, gathered, decisions, now })
  const { nodes } = gathered
  const refused = new Map([...undecided, ...failed])
  await parts.events.record(objectEvents({ nodes, head, decisions, executed, refused, pools: parts.cluster.pools.items }), now)
  const { isDone } = await parts.garbage.collect({ fleet: head.fleet, gathered, now })
  return { wakeAt: earliest([...wakes, isDone ? undefined : now]), failures: [...unmirrored, ...refused.values(), ...failures] }
}

interface Deciding {
  readonly head: AcceptedHead
  readonly gathered: Gathered
  readonly decisions: ReadonlyMap<string, Decision>
  readonly now: Instant
}

interface CarriedOut {
  readonly executed: ReadonlyMap<string, Executed>
  /** When each pool wants to be looked at again. */
  readonly wakes: readonly (Instant | undefined)[]
  /** By pool, what kept all of it from being carried out. */
  readonly failed: ReadonlyMap<string, unknown>
  /** What failed for single nodes. */
  readonly failures: readonly unknown[]
}

async function carryOut(parts: ControllerParts, { head, gathered, decisions, now }: Deciding): Promise<CarriedOut> {
  const { ports, settings, cluster, drains, gates, renderer, statuses, rejections } = parts
  const executed = new Map<string, Executed>()
  const wakes: (Instant | undefined)[] = []
  const failed = await forEach(decisions, {}, async ([pool, { status, actions, wakeAt }]) => {
    const generation = cluster.pools.get(pool)?.generation ?? 0
    const complete = completeStatus(status, { generation, observedRevision: head.observed })
    // Before any action: what failed must be on record before the node that shows it is given something else.
    const countsDue = await statuses.write(pool, { status: complete, now })
    const rendered = renderedFor(gathered, { pool, renderer })
    const done = await execute(
      { ...ports, settings, cluster, gates, answers: drains.answers, nodes: gathered.nodes, rendered },
      { pool, actions },
    )
    executed.set(pool, done)
    wakes.push(wakeAt, countsDue, done.again ? now : undefined)
    // Last: the status says it already, and nodes that must be put back do not wait for a second copy.
    await rejections.keep(pool, status.rejected)
  })
  const strayed = await execute(
    { ...ports, settings, cluster, gates, answers: drains.answers, nodes: gathered.nodes, rendered: () => undefined },
    strays(gathered),
  )
  // Now, not with the next pass: that one can then go on with nodes on which nothing runs.
  followDrains({ cluster, drains })
  return {
    executed,
    failed: new Map([...failed].map(([[pool], error]) => [pool, error])),
    failures: [...executed.values(), strayed].flatMap(({ failures }) => failures),
    wakes,
  }
}

/** Nobody's pool, so nobody's budget either. */
function strays({ fleet }: Gathered): { readonly pool: string; readonly actions: readonly Action[] } {
  return { pool: '', actions: uncordonStrays(fleet.strays ?? []) }
}

function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  const known = instants.filter((instant) => instant !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
