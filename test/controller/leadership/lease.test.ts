import { expect, test } from 'vitest'
import { countsSinceOf, leaseObject, observationOf } from '../../../src/controller/leadership/lease.ts'
import { VERSION } from '../../../src/protocol/version.ts'

const WALL = Date.UTC(2026, 10, 21, 8)
const record = { holder: 'a', leaseDuration: 15_000, acquiredAt: WALL, renewedAt: WALL + 2000, transitions: 3 }

test('a lease is read as it was written', () => {
  const object = leaseObject(record, { found: undefined, namespace: 'nodewave-system' })
  expect(object.spec).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-11-21T08:00:00.000000Z',
    renewTime: '2026-11-21T08:00:02.000000Z',
    leaseTransitions: 3,
  })
  expect(observationOf({ ...object, metadata: { name: 'x', resourceVersion: '7' } })).toEqual({ record, version: '7' })
})

test('a lease that is written again keeps its version as a precondition, and what others put into it', () => {
  const metadata = { name: 'nodewave-controller', resourceVersion: '7', labels: { team: 'nodes' } }
  const found = { metadata, spec: { holderIdentity: 'b', strategy: 'OldestEmulationVersion' } }
  const object = leaseObject(record, { found, namespace: 'nodewave-system' })
  expect(object.metadata).toEqual({ ...metadata, annotations: { 'nodewave.io/leader-version': VERSION } })
  expect(object.spec).toMatchObject({ holderIdentity: 'a', strategy: 'OldestEmulationVersion' })
})

test.each([
  ['no spec', undefined],
  ['an empty holder', { holderIdentity: '' }],
  ['nonsense', { holderIdentity: 5, leaseDurationSeconds: 'long', renewTime: 'yesterday', leaseTransitions: {} }],
])('a lease with %s is free', (_, spec) => {
  expect(observationOf({ metadata: { name: 'x', resourceVersion: '7' }, spec }).record).toEqual({
    ...{ holder: '', leaseDuration: 0, acquiredAt: 0, renewedAt: 0, transitions: 0 },
  })
})

test('a lease says since when time counts for its holder, and says nothing of that when all time does', () => {
  const said = leaseObject(record, { found: undefined, namespace: 'nodewave-system', countsSince: WALL + 1500 })
  expect(said.metadata.annotations).toMatchObject({ 'nodewave.io/time-counts-since': '2026-11-21T08:00:01.500Z' })
  expect(countsSinceOf(said)).toBe(WALL + 1500)
  const unsaid = leaseObject(record, { found: said, namespace: 'nodewave-system' })
  expect(unsaid.metadata.annotations).toEqual({ 'nodewave.io/leader-version': VERSION })
  expect(countsSinceOf(unsaid)).toBeUndefined()
})

test('a lease of which nobody can read since when time counts says nothing of that', () => {
  expect(
    countsSinceOf({ metadata: { name: 'x', annotations: { 'nodewave.io/time-counts-since': 'yesterday' } } }),
  ).toBeUndefined()
})
