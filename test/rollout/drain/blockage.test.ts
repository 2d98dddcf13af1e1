import { expect, test } from 'vitest'
import { describeDrain, isBlocked, isSlow, underwayIn } from '../../../src/rollout/drain/blockage.ts'
import type { Remaining, Underway } from '../../../src/rollout/model/drain.ts'
import type { Member } from '../../../src/rollout/model/pool-state.ts'
import { noon } from '../builders/instants.ts'
import { aPod } from '../builders/pods.ts'
import { kept } from './upgrade.ts'

const drain = (more: Partial<Underway>) => ({ kind: 'Underway', since: noon, deadline: noon + 60_000, ...more }) as Underway

test('describeDrain says why pods are not known: they were not read yet, cannot be read, or none remains', () => {
  const since = '"n1", drained since 2026-11-21T12:00:00.000Z'

  expect(describeDrain('n1', drain({}))).toBe(`${since}: its pods are not known yet`)
  expect(describeDrain('n1', drain({ trouble: 'forbidden' }))).toBe(`${since}: its pods cannot be read: forbidden`)
  expect(describeDrain('n1', drain({ remaining: [] }))).toBe(`${since}: no pod remains`)
})

test('a drain is slow from its tenth second on', () => {
  expect(isSlow(drain({}), noon + 9_999)).toBe(false)
  expect(isSlow(drain({}), noon + 10_000)).toBe(true)
})

test('a drain is blocked from its deadline on', () => {
  expect(isBlocked(drain({}), noon + 59_999)).toBe(false)
  expect(isBlocked(drain({}), noon + 60_000)).toBe(true)
})

const evict = (name: string, ...budgets: readonly string[]): Remaining => ({
  pod: aPod(name, budgets.length === 0 ? {} : { refusal: kept(noon, ...budgets) }),
  verdict: { kind: 'Evict' },
})
const consent = (name: string): Remaining => ({ pod: aPod(name), verdict: { kind: 'Consent', allow: 'force' } })

test.each<readonly [what: string, remaining: readonly Remaining[], blocked: boolean]>([
  ['no pod is left', [], false],
  ['a pod is to be evicted', [evict('a')], false],
  ['one budget protects a pod', [evict('a', 'shop')], false],
  ['two budgets protect one of its pods', [evict('a'), evict('b', 'shop', 'all')], true],
  ['one of its pods needs consent', [evict('a'), consent('b')], true],
])('a drain before its deadline is blocked or not when %s', (_, remaining, blocked) => {
  expect(isBlocked(drain({ remaining }), noon)).toBe(blocked)
})

test.each<readonly [first: string, remaining: readonly Remaining[], told: string]>([
  [
    'needs consent',
    [evict('a', 'shop', 'all'), consent('b')],
    'pod "shop/b" has no controller that replaces it; allow this with',
  ],
  ['two budgets protect', [evict('a', 'shop'), evict('b', 'shop', 'all')], 'pod "shop/b" is covered by the PodDisruptionBudgets'],
  ['a budget protects', [evict('a'), evict('b', 'shop')], 'pod "shop/b" is protected by PodDisruptionBudget "shop"'],
  ['comes first by name', [evict('b'), evict('a')], 'pod "shop/a" is to be evicted; and 1 more pod'],
])('describeDrain names the pod first that %s', (_, remaining, told) => {
  expect(describeDrain('n1', drain({ remaining }))).toContain(told)
})

test('describeDrain counts the other pods', () => {
  const said = (...names: string[]) => describeDrain('n1', drain({ remaining: names.map((name) => evict(name)) }))

  expect(said('a')).toMatch(/: pod "shop\/a" is to be evicted$/)
  expect(said('a', 'b')).toMatch(/; and 1 more pod$/)
  expect(said('a', 'b', 'c')).toMatch(/; and 2 more pods$/)
})

test('describeDrain says that a pod is still terminating, and what a server said that names no budget', () => {
  const ending: Remaining = { pod: aPod('a', { terminating: true }), verdict: { kind: 'Await' } }

  expect(describeDrain('n1', drain({ remaining: [ending] }))).toMatch(/: pod "shop\/a" is still terminating$/)
  expect(describeDrain('n1', drain({ remaining: [{ ...evict('a'), pod: aPod('a', { refusal: kept(noon) }) }] }))).toMatch(
    /: pod "shop\/a" cannot be evicted: cannot evict$/,
  )
})

test('drains under way are in the order in which they began, and by name when they began together', () => {
  const member = (name: string, since: number) => ({ node: { name }, drain: drain({ since }) }) as unknown as Member
  const over = { node: { name: 'z' }, drain: { kind: 'Over' } } as unknown as Member
  const members = [member('c', noon), over, member('a', noon), member('b', noon - 1)]

  expect(underwayIn(members).map(({ node }) => node.name)).toEqual(['b', 'a', 'c'])
})
