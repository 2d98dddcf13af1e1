import { expect, test } from 'vitest'
import type { Share } from '../../../src/rollout/model/policy.ts'
import type { Places } from '../../../src/rollout/model/proposal.ts'
import { allowedUnavailable, type BudgetUse, placesLeft, remainingBudget } from '../../../src/rollout/selection/budget.ts'
import { aNode } from '../builders/nodes.ts'
import { policyOf } from '../builders/policies.ts'

test.each<readonly [share: Share, nodes: number, allowed: number]>([
  [{ count: 0 }, 10, 0],
  [{ count: 1 }, 0, 1],
  [{ count: 3 }, 10, 3],
  [{ percent: 0 }, 10, 0],
  [{ percent: 1 }, 10, 1],
  [{ percent: 1 }, 0, 1],
  [{ percent: 19 }, 10, 1],
  [{ percent: 20 }, 10, 2],
  [{ percent: 100 }, 10, 10],
])('of %j of a pool of %i nodes, %i may be unavailable', (share, nodes, allowed) => {
  expect(allowedUnavailable(share, nodes)).toBe(allowed)
})

test.each<readonly [allowed: number, use: BudgetUse, left: Places]>([
  [0, { unavailable: 0, serving: 0, idle: 0 }, { places: 0, servingPlaces: 0, idlePlaces: 0 }],
  [3, { unavailable: 0, serving: 0, idle: 0 }, { places: 3, servingPlaces: 3, idlePlaces: 3 }],
  [3, { unavailable: 3, serving: 0, idle: 0 }, { places: 0, servingPlaces: 0, idlePlaces: 0 }],
  [3, { unavailable: 4, serving: 0, idle: 0 }, { places: 0, servingPlaces: 0, idlePlaces: 0 }],
  [3, { unavailable: 3, serving: 1, idle: 0 }, { places: 0, servingPlaces: 1, idlePlaces: 1 }],
  [3, { unavailable: 3, serving: 0, idle: 1 }, { places: 0, servingPlaces: 0, idlePlaces: 1 }],
  [3, { unavailable: 3, serving: 1, idle: 1 }, { places: 0, servingPlaces: 1, idlePlaces: 2 }],
  [3, { unavailable: 5, serving: 1, idle: 2 }, { places: 0, servingPlaces: 0, idlePlaces: 1 }],
])('of %i places with %j in use, %j are left', (allowed, use, left) => {
  expect(placesLeft(allowed, use)).toEqual(left)
})

test.each([
  [0, 2],
  [1, 1],
  [2, 0],
  [3, 0],
])('of a budget of two with %i nodes down, %i remain', (down, remaining) => {
  const members = [0, 1, 2, 3].map((index) => ({
    node: index < down ? aNode(`n${index}`).notReady() : aNode(`n${index}`),
    report: undefined,
  }))

  expect(remainingBudget(members, { policy: policyOf({ maxUnavailable: 2 }) })).toBe(remaining)
})
