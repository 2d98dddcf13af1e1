import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { hour } from '../../builders/instants.ts'
import { digestFor } from './contents.ts'
import { snapshotOf } from './snapshot.ts'
import { diff, readyOf, told } from './told.ts'
import type { World } from './world.ts'

/** Reasons that say that something moves: none of them is true at rest. */
const MOVES: ReadonlySet<string> = new Set(['RollingOut', 'RollingBack', 'Soaking', 'Uncordoning', 'Draining', 'Rebooting'])

export function isAtRest(world: World): void {
  for (const [name, { status }] of world.decisions) {
    const { reason, message, status: isReady } = readyOf(status)
    // An agent that is silent ends nothing by itself: the message says what helps.
    const isTold = message.includes(', or: kubectl uncordon ')
    if (isReady === 'False' && MOVES.has(reason) && !isTold)
      world.wrong.push(`(6) ${name} at rest: ${reason} ${message}\n  ${told(world)}`)
    if (message.includes('is being changed') && !message.includes('; repair "'))
      world.wrong.push(`(6) ${name} at rest waits for a turn that does not come: ${message}\n  ${told(world)}`)
    if (isReady === 'True') {
      const commit = world.head.contents.get(name) ?? 'first'
      const lagging = world.nodes.filter(
        ({ view, pool, isSilent }) =>
          pool === name &&
          view.ready &&
          !view.hold &&
          !view.unschedulable &&
          !view.mark &&
          !isSilent &&
          view.status?.active !== digestFor(commit, view, world.options),
      )
      if (lagging.length > 0 && reason === 'Completed')
        world.wrong.push(`(6) ${name} Ready at rest, but ${lagging.map(({ view }) => view.name)} lacks ${commit}`)
      const asked = world.nodes.filter(({ view, pool }) => pool === name && isToReboot(view))
      if (asked.length > 0) world.wrong.push(`(9) ${name} Ready at rest, but to reboot: ${asked.map(({ view }) => view.name)}`)
      const cordoned = world.nodes.filter(
        ({ view, pool }) => pool === name && view.ready && view.mark?.state === 'Ours' && view.unschedulable,
      )
      if (cordoned.length > 0)
        world.wrong.push(`(7) ${name} Ready at rest, but cordoned: ${cordoned.map(({ view }) => view.name)}`)
    }
  }
}

function isToReboot({ ready, hold, unschedulable, mark, bootId, rebootRequest }: NodeView): boolean {
  return ready && hold === undefined && !unschedulable && !mark && bootId !== undefined && rebootRequest?.boot === bootId
}

/** (6): before the wake nothing changes by time alone. */
export function looksAhead(world: World, wake: Instant): void {
  const decided = (at: Instant): string =>
    JSON.stringify(
      [...decideFleet(snapshotOf(world, world.nodes), at)].map(([name, { actions, status }]) => [
        name,
        actions.map(bare),
        bareStatus(status),
      ]),
    )
  const here = decided(world.now)
  const at = [world.now + 1000, Math.min(wake, world.now + 24 * hour) - 1]
  for (const each of at) {
    if (each < world.now || each >= wake) continue
    const there = decided(each)
    if (there !== here)
      world.wrong.push(
        `(6) no wake at or before ${new Date(each).toISOString()} from ${new Date(world.now).toISOString()} (wake ${wake}): ${diff(here, there)}`,
      )
  }
}

function bare(action: Action): unknown {
  return JSON.parse(
    JSON.stringify(action, (key, value) => (key === 'at' || key === 'assignedAt' || key === 'endedAt' ? undefined : value)),
  )
}

function bareStatus(status: NodePoolStatus): unknown {
  return { ...status, conditions: status.conditions.map(({ type, status, reason }) => ({ type, status, reason })) }
}
