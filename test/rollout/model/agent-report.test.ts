import { expect, test } from 'vitest'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'

const assigned = { digest: 'new', revision: 'new', pool: 'p', grant: 'restart', at: noon } as const

function saying(phase: 'Applied' | 'RolledBack', at: number) {
  const status = { phase, digest: 'new', assigned: 'new', since: new Date(at).toISOString(), attempts: 1 } as const
  return reportOf({ ...aNode('n0'), assigned, status })
}

test('an agent that names no assignment does not fail a retry by what it said before', () => {
  expect(saying('RolledBack', noon - minute)).toBeUndefined()
  expect(saying('RolledBack', noon + minute)?.phase).toBe('RolledBack')
  expect(saying('Applied', noon - minute)?.phase).toBe('Applied')
})
