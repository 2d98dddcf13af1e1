import { expect, test } from 'vitest'
import { describeRefusals } from '../../../src/rollout/status/refusals.ts'
import { minute, noon } from '../builders/instants.ts'
import { aMember } from '../builders/members.ts'
import { aNode } from '../builders/nodes.ts'

const refusing = (name: string) =>
  aNode(name)
    .assignedTo('new', { at: noon })
    .reporting('RolledBack', { error: { reason: 'AssignmentReplayed', message: 'its COUNTER is 5' } })

test('nodes that refuse an older assignment are told while they wait for another, and no longer once that counts as a failure', () => {
  const waiting = { phase: 'Waiting', pending: true, until: noon + minute } as const
  const failed = { phase: 'Failed', pending: false, failure: { reason: 'X', message: 'x' }, until: noon + 2 * minute } as const
  const members = [
    aMember(refusing('a'), { assigned: true, progress: waiting }),
    aMember(refusing('b'), { assigned: true, progress: failed }),
    aMember(aNode('c').on('new'), { assigned: true, progress: waiting }),
  ]

  expect(describeRefusals(members)).toBe(
    '; "a": the assignment is older than one that the agent accepted before; assigned again until 2026-11-21T12:01:00.000Z',
  )
})
