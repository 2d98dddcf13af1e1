import type { Content, PoolRules } from '../commits.ts'
import type { Machine } from '../machine.ts'
import { assignedBy, hasCompleted, hold } from '../people.ts'
import type { World } from '../world.ts'

const SECOND = 1000
/** Seconds after its deadline. */
const MUCH_LATER = 90
/** Seconds before the first one is overdue. */
const BEFORE = 2

/** Two nodes that get a commit seconds apart; the first does not end it in time, and the other does, which no controller sees. */
export async function canaryTooSlow(world: World): Promise<void> {
  const pool = world.random.pick(world.pools)
  const { timeout = 0, maxFailures = 0, name } = pool
  const [slow, other, ...rest] = world.random.shuffled([...world.machines.values()].filter((machine) => machine.pool === name))
  if (!slow || !other || maxFailures === 0 || !(await hasCompleted(name, world))) return
  const others = [other, ...rest]
  for (const machine of others) await hold(machine, 'later', world)
  const from = world.clock.elapsed()
  const until = from + (timeout + MUCH_LATER) * SECOND
  slow.trouble.lateWatches.delay('nodes', { from, until })
  const commit = pushTo(pool, world)
  world.tell(`${slow.name} hears of ${commit.slice(-4)} too late`)
  if (await assignedBy(commit, slow, world)) await follow({ commit, slow, other, rest, timeout }, world)
  // What it is given next reaches it at once.
  await world.clock.advance(Math.max(0, until - world.clock.elapsed()))
  for (const machine of others) await hold(machine, null, world)
}

interface Canaries {
  readonly commit: string
  readonly slow: Machine
  readonly other: Machine
  readonly rest: readonly Machine[]
  /** Seconds. */
  readonly timeout: number
}

/** The other one hears of it when the first is overdue, and ends it before it is overdue itself: it needs three seconds. */
async function follow({ commit, slow, other, rest, timeout }: Canaries, world: World): Promise<void> {
  const { clock, random, assignedAt } = world
  const overdueAt = (assignedAt.get(slow.name) ?? 0) + timeout * SECOND
  await clock.advance(random.pick([6, 7, 8]) * SECOND)
  other.trouble.lateWatches.delay('nodes', { from: clock.elapsed(), until: overdueAt + SECOND })
  await hold(other, null, world)
  if (!(await assignedBy(commit, other, world))) return
  // They wait for the budget: two that fail are not all.
  for (const machine of rest) await hold(machine, null, world)
  await clock.advance(overdueAt - BEFORE * SECOND - clock.elapsed())
  const from = clock.elapsed()
  for (const { lateWatches } of world.controllerTroubles) lateWatches.delay('nodes', { from, until: overdueAt + 60 * SECOND })
  world.tell(`${slow.name} is overdue; what ${other.name} does in time is seen a minute late`)
  await clock.advance(20 * SECOND)
}

function pushTo(pool: PoolRules, world: World): string {
  const last = [...world.commits.values()].at(-1) ?? new Map<PoolRules, Content>()
  const slow: Content = { name: `c${world.commits.size}-slow`, outcome: 'slow' }
  return world.push(new Map([...last, [pool, slow]]))
}
