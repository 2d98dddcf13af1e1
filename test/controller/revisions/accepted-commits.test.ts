import { expect, test } from 'vitest'
import { newestAccepted } from '../../../src/controller/revisions/accepted-commits.ts'

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string]
const ref = (revision: string) => ({ revision, fingerprint: `of ${revision}` })
const pool = (name: string, status: object) => ({ name, status }) as never
const node = (assigned?: { readonly pool: string; readonly revision: string; readonly at?: number }) =>
  ({ view: { assigned } }) as never
const newest = (
  pools: readonly never[],
  {
    kept,
    nodes = [],
    acceptedAt,
  }: { readonly kept: readonly string[]; readonly nodes?: readonly never[]; readonly acceptedAt?: number },
) => newestAccepted({ pools, nodes, acceptedAt: () => acceptedAt }, kept)

test('the newest accepted commit is the newest that is kept', () => {
  expect(newest([], { kept: [] })).toBeUndefined()
  expect(newest([], { kept: [B, A] })).toBe(B)
  expect(newest([pool('workers', { acceptedRevision: A })], { kept: [B, A] })).toBe(B)
})

test('the newest accepted commit is one that a pool remembers and that is not kept', () => {
  const pools = [pool('first', { acceptedRevision: A }), pool('second', { acceptedRevision: C })]
  expect(newest(pools, { kept: [B, A] })).toBe(C)
})

test('a pool remembers as accepted what an earlier release had it change to', () => {
  expect(newest([pool('workers', { target: ref(C), stable: ref(A) })], { kept: [B, A] })).toBe(C)
  expect(newest([pool('workers', { stable: ref(C) })], { kept: [B, A] })).toBe(C)
  expect(newest([pool('workers', { target: ref(C), acceptedRevision: B })], { kept: [B, A] })).toBe(B)
})

test('of a pool that has lost its status its nodes remember what was accepted, and those of no other pool do', () => {
  const nodes = [node(), node({ pool: 'workers', revision: C }), node({ pool: 'gone', revision: 'd'.repeat(40) })]
  expect(newest([pool('workers', {})], { kept: [B, A], nodes })).toBe(C)
  expect(newest([pool('workers', { stable: ref(A) })], { kept: [B, A], nodes })).toBe(B)
  expect(newest([pool('workers', {})], { kept: [B, A], nodes: [node({ pool: 'workers', revision: '' })] })).toBe(B)
})

test('what nodes were assigned before the newest kept commit was accepted is no newer one: it may have been deleted as too old', () => {
  const lost = (at: number | undefined, acceptedAt?: number) => {
    const assigned = { pool: 'workers', revision: C, ...(at !== undefined && { at }) }
    return newest([pool('workers', {})], {
      kept: [B, A],
      nodes: [node(assigned)],
      ...(acceptedAt !== undefined && { acceptedAt }),
    })
  }

  expect(lost(999, 1000)).toBe(B)
  expect(lost(1000, 1000)).toBe(C)
  expect(lost(undefined, 1000)).toBe(C)
  expect(lost(999)).toBe(C)
})
