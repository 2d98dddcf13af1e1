import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { condition } from '../builders/decisions.ts'
import { noon } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRef } from '../builders/revisions.ts'

/** Of a pool whose retry was observed, and stands there still. */
function message(refusedClear?: string): string {
  const memory = { ...NO_MEMORY, target: aRef('new'), stable: aRef('new'), observedControls: { retry: 'again' } }
  const pool = aPool({ head: 'new', stable: 'new', controls: { retry: 'again' } }).with(aNode('a').on('new'))
  return condition(decide({ ...pool, memory, ...(refusedClear !== undefined && { refusedClear }) }, noon), 'Ready').message
}

test('a pool says what the server refuses to clear, and what helps', () => {
  expect(message('no')).toContain(
    'the API server refuses to clear the annotation nodewave.io/retry: no; the same request is ignored while it stands; correct what refuses it, ' +
      'such as a webhook or missing rights, or clear it: kubectl annotate nwp/workers nodewave.io/retry-',
  )
})

test('a pool says nothing of an annotation that is about to be cleared', () => {
  expect(message()).not.toContain('annotation')
})
