import { mustDrain } from '../drain/requirement.ts'
import { disruptionOf, isDue, isPastDraining } from '../exposure/eligible.ts'
import { lastResort } from '../exposure/last-resort.ts'
import type { Member, Picture } from '../model/pool-state.ts'
import { mendedWith } from '../target/repair.ts'
import { inOrder } from './order.ts'

/** A member whose turn it is, whatever may restrain it. */
export interface Due {
  readonly member: Member
  /** Its pods are gone, or cannot be waited for. */
  readonly drained: boolean
}

export function candidates(picture: Picture): readonly Due[] {
  return picture.run.state === 'Halted' ? mended(picture) : inTurn(picture)
}

/** All that is done to a halted pool. */
function mended(picture: Picture): readonly Due[] {
  const { pool, members, run } = picture
  const down = members.filter((member) => mendedWith(member, run) !== undefined && isDue(member, picture))
  return undrained(inOrder(pool.name, down), picture).map((member) => ({ member, drained: true }))
}

/** In order; those whose pods are gone first. */
function inTurn(picture: Picture): readonly Due[] {
  const { pool, members, now } = picture
  const drained = inOrder(
    pool.name,
    members.filter(({ drain }) => drain?.kind === 'Done'),
  )
  const due = members.filter((member) => member.drain === undefined && isDue(member, picture))
  const others = [...new Set([...inOrder(pool.name, due), ...undrained(lastResort(picture), picture)])]
  return [
    ...drained.map((member) => ({ member, drained: true })),
    ...others.map((member) => ({ member, drained: isPastDraining(member, { now, policy: pool.policy }) })),
  ]
}

/** Those that need no drain, or that no drain would ever end on. */
function undrained(members: readonly Member[], { pool: { policy }, now }: Picture): readonly Member[] {
  return members.filter((member) => isPastDraining(member, { now, policy }) || !mustDrain(policy, disruptionOf(member)))
}
