import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { isWritten, unreadStatus } from '../../../src/rollout/status/unread-status.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'

const { status } = decide(aPool({ head: 'new', stable: 'older' }).with(...nodes('a', 'b')), noon)
const LOST = 'c'.repeat(40)

test('a pool keeps all that it remembers while the newest accepted commit is lost, and says what helps', () => {
  const { conditions, ...rest } = unreadStatus(status, { lost: LOST, trouble: 'connection refused', now: noon + minute })
  const { conditions: _, ...before } = status
  const message =
    'the cluster does not keep ccccccc, the newest accepted commit, or what it keeps of it cannot be read; which commit is the newest is not ' +
    'known before a valid one has been read from the repository, and nothing is changed until then: connection refused'
  const condition = (type: string, holds: string) => ({ type, status: holds, reason: 'RepositoryUnread', message })

  expect(rest).toEqual(before)
  expect(conditions).toEqual([
    { ...condition('Ready', 'False'), lastTransitionTime: stamp(noon) },
    { ...condition('Reconciling', 'True'), lastTransitionTime: stamp(noon) },
    { ...condition('Stalled', 'False'), lastTransitionTime: stamp(noon) },
  ])
})

test('a pool that was Ready is not while the newest accepted commit is lost, as of now', () => {
  const completed = {
    ...status,
    conditions: status.conditions.map((each) => (each.type === 'Ready' ? { ...each, status: 'True' as const } : each)),
  }
  const [ready] = unreadStatus(completed, { lost: LOST, now: noon + minute }).conditions

  expect(ready).toMatchObject({ status: 'False', lastTransitionTime: stamp(noon + minute) })
  expect(ready?.message).toMatch(/nothing is changed until then$/)
})

test('a pool is stalled by what keeps the newest commit of the branch from being taken while the newest accepted one is lost', () => {
  const obstacle = { reason: 'CommitNeedsPromotion', message: 'nodewave promote …' } as const
  const trouble = 'connection refused'
  const after = unreadStatus(status, { lost: LOST, observed: 'newer', obstacle, trouble, now: noon + minute })

  expect(after.conditions.map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`)).toEqual([
    'Ready False RepositoryUnread',
    'Reconciling False RepositoryUnread',
    'Stalled True CommitNeedsPromotion',
  ])
  expect(after.conditions[0]?.message).toMatch(/nothing is changed until then: nodewave promote …$/)
  expect(after.conditions[2]).toMatchObject({ message: 'nodewave promote …', lastTransitionTime: stamp(noon + minute) })
  expect(after.observedRevision).toBe('newer')
})

test('a status that the controller has written has all that a pool remembers', () => {
  expect(isWritten(status)).toBe(true)
  const { rejected: _, ...other } = status
  expect([isWritten(other), isWritten({})]).toEqual([false, false])
})
