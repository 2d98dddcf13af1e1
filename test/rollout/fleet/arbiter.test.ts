import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arbitrate } from '../../../src/rollout/fleet/arbiter.ts'
import { type NodeRequest, type Price, type Proposal, WORK_KINDS } from '../../../src/rollout/model/proposal.ts'

function requests(pool: string, count: number, more: Partial<NodeRequest> = {}): NodeRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${pool}-${i}`,
    kind: 'forward' as const,
    price: 'Available' as const,
    isControlPlane: false,
    ...more,
  }))
}

function evenly(places: number) {
  return { places, servingPlaces: places, idlePlaces: places }
}

function proposal(pool: string, asked: readonly NodeRequest[], more: Partial<Proposal> = {}): Proposal {
  return { pool, requests: asked, ...evenly(asked.length), ...more }
}

function limitedTo(places: number | undefined) {
  return places === undefined ? undefined : evenly(places)
}

function granted(proposals: readonly Proposal[], budget?: number): Record<string, string[]> {
  return Object.fromEntries([...arbitrate(proposals, limitedTo(budget))].map(([pool, { nodes }]) => [pool, [...nodes]]))
}

test('arbitrate grants each pool its own budget when the fleet has none', () => {
  const proposals = [proposal('a', requests('a', 3), { places: 2 }), proposal('b', requests('b', 1))]

  expect(granted(proposals)).toEqual({ a: ['a-0', 'a-1'], b: ['b-0'] })
})

test('arbitrate gives equal pools one node each in turn', () => {
  const proposals = [proposal('a', requests('a', 9)), proposal('b', requests('b', 9)), proposal('c', requests('c', 1))]

  expect(granted(proposals, 5)).toEqual({ a: ['a-0', 'a-1'], b: ['b-0', 'b-1'], c: ['c-0'] })
})

test('arbitrate begins with the pool that was served longest ago, and with one that never was before that', () => {
  const [a, b] = [proposal('a', requests('a', 2), { servedAt: 20 }), proposal('b', requests('b', 2), { servedAt: 10 })]

  expect(granted([a, b], 1)).toEqual({ a: [], b: ['b-0'] })
  expect(granted([a, b, proposal('c', requests('c', 2))], 1)).toEqual({ a: [], b: [], c: ['c-0'] })
})

test('arbitrate passes on to the next node of a pool where one waits for the turn of the control plane', () => {
  const a = proposal('a', [...requests('cp', 2, { isControlPlane: true }), ...requests('a', 1)])

  expect(granted([a, proposal('b', requests('b', 3))], 3)).toEqual({ a: ['cp-0', 'a-0'], b: ['b-0'] })
})

test('arbitrate serves repair before rollback, and rollback before forward work', () => {
  const forward = proposal('a', requests('a', 2))
  const rollback = proposal('b', requests('b', 2, { kind: 'rollback' }), { servedAt: 10 })
  const repair = proposal('c', requests('c', 2, { kind: 'repair' }), { servedAt: 20 })

  expect(granted([forward, rollback, repair], 3)).toEqual({ a: [], b: ['b-0'], c: ['c-0', 'c-1'] })
})

test('arbitrate grants what spends nothing though no budget is left', () => {
  expect(granted([proposal('a', requests('a', 2, { price: 'Nothing' }), { places: 0 })], 0)).toEqual({ a: ['a-0', 'a-1'] })
})

test('arbitrate grants idle nodes the places that idle nodes leave, but no available node these places', () => {
  const asked = [...requests('a', 2), ...requests('idle', 3, { price: 'Idle' })]
  const left = { places: 0, servingPlaces: 0, idlePlaces: 2 }
  const namesOf = (proposals: readonly Proposal[]) =>
    Object.fromEntries([...arbitrate(proposals, left)].map(([pool, { nodes }]) => [pool, [...nodes]]))
  const idle = (pool: string) => proposal(pool, requests(pool, 2, { price: 'Idle' }))

  expect(granted([proposal('a', asked, left)])).toEqual({ a: ['idle-0', 'idle-1'] })
  expect(granted([proposal('a', asked, { places: 1, servingPlaces: 1, idlePlaces: 2 })])).toEqual({ a: ['a-0', 'idle-0'] })
  expect(namesOf([idle('a'), idle('b')])).toEqual({ a: ['a-0'], b: ['b-0'] })
})

test('arbitrate grants a node that serves until it reports the place that it holds, and none of those that idle nodes leave', () => {
  const serving = proposal('a', requests('a', 2, { price: 'Serving' }), { places: 0, servingPlaces: 1, idlePlaces: 2 })

  expect(granted([serving])).toEqual({ a: ['a-0'] })
  expect(granted([{ ...serving, servingPlaces: 0 }])).toEqual({ a: [] })
})

test('arbitrate grants one node of the control plane at a time over all pools, and names it', () => {
  const hosts = (pool: string) => proposal(pool, requests(pool, 2, { isControlPlane: true }))
  const grants = arbitrate([hosts('a'), hosts('b')])

  expect(granted([hosts('a'), hosts('b')])).toEqual({ a: ['a-0'], b: [] })
  expect(grants.get('b')?.turnOf).toBe('a-0')
})

test('arbitrate passes over a node of the control plane that has to wait, and grants the next node of the pool', () => {
  const [host, worker] = [requests('b', 1, { isControlPlane: true }), requests('w', 1)]
  const waiting = proposal('b', [...host, ...worker], { places: 1, servedAt: 10 })

  expect(granted([proposal('a', requests('a', 1, { isControlPlane: true })), waiting])).toEqual({ a: ['a-0'], b: ['w-0'] })
})

test('arbitrate tells a pool that it lacks the budget of the fleet only when its own would have sufficed', () => {
  const proposals = [proposal('a', requests('a', 2)), proposal('b', requests('b', 2), { places: 0 })]
  const grants = arbitrate(proposals, limitedTo(1))

  expect(grants.get('a')?.lacksFleetBudget).toBe(true)
  expect(grants.get('b')?.lacksFleetBudget).toBe(false)
})

test('arbitrate grants a last resort only to a pool that asked for places in a budget and got none', () => {
  const asked = [...requests('a', 1), ...requests('dead', 1, { kind: 'lastResort', price: 'Nothing' })]

  expect(granted([proposal('a', asked)], 1)).toEqual({ a: ['a-0'] })
  expect(granted([proposal('a', asked)], 0)).toEqual({ a: ['dead-0'] })
  expect(granted([proposal('a', asked, { places: 0 })])).toEqual({ a: ['dead-0'] })
  expect(granted([proposal('a', asked.slice(1))], 0)).toEqual({ a: [] })
})

test("arbitrate grants a last resort for lack of the fleet's budget only when no work gives that back", () => {
  const asked = (kind: NodeRequest['kind']) => [...requests('a', 1), ...requests('x', 1, { kind, price: 'Nothing' })]
  const outcome = (kind: NodeRequest['kind'], places: number, isGivenBack: boolean) =>
    arbitrate([proposal('a', asked(kind), evenly(places))], { ...evenly(0), isGivenBack }).get('a')?.nodes

  expect(outcome('lastResort', 1, true)).toEqual(new Set())
  expect(outcome('lastResort', 1, false)).toEqual(new Set(['x-0']))
  expect(outcome('lastResort', 0, true)).toEqual(new Set(['x-0']))
  expect(outcome('supersede', 1, true)).toEqual(new Set(['x-0']))
})

const kinds = fc.constantFrom(...WORK_KINDS.filter((kind) => kind !== 'supersede' && kind !== 'lastResort'))
const prices = fc.constantFrom<Price>('Nothing', 'Idle', 'Serving', 'Available')
const request = fc.record({ kind: kinds, price: prices, isControlPlane: fc.boolean() })
const proposals = fc
  .array(fc.record({ asked: fc.array(request, { maxLength: 6 }), places: fc.nat(4), servedAt: fc.nat(3) }), { maxLength: 4 })
  .map((drafts) =>
    drafts.map(({ asked, ...rest }, i) => ({
      pool: `p${i}`,
      requests: asked.map((each, j) => ({ name: `p${i}-${j}`, ...each })),
      ...rest,
      ...evenly(rest.places),
    })),
  )

/** Each request with the pool that made it, and whether it was granted. */
function outcomes(asked: readonly Proposal[], budget: number) {
  const grants = arbitrate(asked, limitedTo(budget))
  return asked.flatMap(({ pool, requests: all }) =>
    all.map((each) => ({ ...each, pool, isGranted: grants.get(pool)?.nodes.has(each.name) === true })),
  )
}

test('arbitrate never exceeds the budget of the fleet or of a pool, nor changes two nodes of the control plane at once', () => {
  fc.assert(
    fc.property(proposals, fc.nat(6), (asked, budget) => {
      const given = outcomes(asked, budget).filter(({ isGranted }) => isGranted)
      const paid = given.filter(({ price }) => price !== 'Nothing')
      expect(paid.length).toBeLessThanOrEqual(budget)
      expect(given.filter(({ isControlPlane }) => isControlPlane).length).toBeLessThanOrEqual(1)
      for (const { pool, places } of asked) expect(paid.filter((each) => each.pool === pool).length).toBeLessThanOrEqual(places)
    }),
  )
})

test('arbitrate leaves no place empty that a request could take', () => {
  fc.assert(
    fc.property(proposals, fc.nat(6), (asked, budget) => {
      const all = outcomes(asked, budget)
      const paid = all.filter(({ isGranted, price }) => isGranted && price !== 'Nothing')
      const turnIsTaken = all.some(({ isGranted, isControlPlane }) => isGranted && isControlPlane)
      for (const { pool, price, isControlPlane } of all.filter(({ isGranted }) => !isGranted)) {
        const places = asked.find((each) => each.pool === pool)?.places ?? 0
        const isPaidFor = paid.length < budget && paid.filter((each) => each.pool === pool).length < places
        expect((isControlPlane && turnIsTaken) || (price !== 'Nothing' && !isPaidFor)).toBe(true)
      }
    }),
  )
})

test('arbitrate grants no later kind what an earlier kind of a pool with places lacks', () => {
  const rank = ({ kind }: Pick<NodeRequest, 'kind'>) => WORK_KINDS.indexOf(kind)
  fc.assert(
    fc.property(proposals, fc.nat(6), (asked, budget) => {
      const all = outcomes(
        asked.map((each) => ({ ...each, requests: each.requests.map((one) => ({ ...one, isControlPlane: false })) })),
        budget,
      )
      const grants = arbitrate(asked, limitedTo(budget))
      const refused = all.filter(({ isGranted, pool }) => !isGranted && grants.get(pool)?.lacksFleetBudget === true)
      for (const late of all.filter(({ isGranted, price }) => isGranted && price === 'Available'))
        for (const early of refused.filter(({ pool }) => pool !== late.pool)) {
          const places = asked.find(({ pool }) => pool === early.pool)?.places ?? 0
          const paid = all.filter(({ pool, isGranted, price }) => pool === early.pool && isGranted && price !== 'Nothing').length
          if (paid < places) expect(rank(late)).toBeLessThanOrEqual(rank(early))
        }
    }),
  )
})

test('arbitrate gives equal pools shares that differ by one node at most, unless a pool asks for less', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(sizes, fc.nat(20), (counts, budget) => {
      const given = Object.values(
        granted(
          counts.map((count, i) => proposal(`p${i}`, requests(`p${i}`, count))),
          budget,
        ),
      )
      const most = Math.max(...given.map(({ length }) => length))
      given.forEach(({ length }, i) => {
        expect(length === counts[i] || length >= most - 1).toBe(true)
      })
    }),
  )
})

test('every pool that asks is served within as many grants as there are pools of its kind', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 3 }), (counts, budget) => {
      const left = counts.map((count, i) => ({ pool: `p${i}`, count, servedAt: undefined as number | undefined, waited: 0 }))
      for (let now = 0; left.some(({ count }) => count > 0); now++) {
        const asking = left.filter(({ count }) => count > 0)
        const given = granted(
          asking.map(({ pool, count, servedAt }) =>
            proposal(pool, requests(pool, count), servedAt === undefined ? {} : { servedAt }),
          ),
          budget,
        )
        const total = Object.values(given).reduce((sum, { length }) => sum + length, 0)
        for (const each of asking) {
          const { length = 0 } = given[each.pool] ?? []
          each.count -= length
          each.waited = length > 0 ? 0 : each.waited + total
          if (length > 0) each.servedAt = now
          expect(each.waited).toBeLessThan(left.length + budget)
        }
      }
    }),
  )
})

test('arbitrate gives nothing to a pool that asks for nothing', () => {
  expect(granted([proposal('a', requests('a', 1)), proposal('b', [])])).toEqual({ a: ['a-0'] })
  expect(granted([proposal('b', [])])).toEqual({})
  expect(granted([])).toEqual({})
})

test('arbitrate begins with the first by name of pools that were served together', () => {
  const [b, a] = [proposal('b', requests('b', 2), { servedAt: 10 }), proposal('a', requests('a', 2), { servedAt: 10 })]

  expect(granted([b, a], 1)).toEqual({ a: ['a-0'], b: [] })
})
