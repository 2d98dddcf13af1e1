/** What the end-to-end tests claim of a rollout is worth something only if a rollout can break it. */
import { expect, test } from 'vitest'
import { assignedNodes, checkAssignedOnce, checkOneByOne, checkUndisturbed } from '../e2e/product/course.ts'
import type { Moment } from '../e2e/timeline.ts'

const commit = 'c0ffee'

/** At second `at`: the node was assigned the commit, by a text of its own when given, and its agent says what it says. */
function moment(at: number, node: string, { by = commit, says = '' } = {}): Moment {
  const status = says === '' ? '' : JSON.stringify({ phase: says, assigned: commit })
  return { at, node, kubelet: '1.36.3', boot: 'b1', ready: true, cordoned: false, annotations: { 'desired-config': by, status } }
}

const orderly = [moment(1, 'n2'), moment(2, 'n2', { says: 'Applied' }), moment(3, 'n1'), moment(4, 'n1', { says: 'Applied' })]

test('nodes that were taken one after the other are told in that order', () => {
  expect(assignedNodes(orderly, commit)).toEqual(['n2', 'n1'])
  expect(() => checkOneByOne(orderly, commit)).not.toThrow()
  expect(() => checkAssignedOnce(orderly, commit)).not.toThrow()
})

test('a node that was taken before the one before it had proved the commit is told', () => {
  const hasty = [moment(1, 'n2'), moment(2, 'n1'), moment(3, 'n2', { says: 'Applied' })]

  expect(() => checkOneByOne(hasty, commit)).toThrow('"n1" waited for "n2": does not hold')
})

test('a node that proved nothing holds up every other', () => {
  const unproven = [moment(1, 'n2'), moment(2, 'n2', { says: 'RolledBack' }), moment(3, 'n1')]

  expect(() => checkOneByOne(unproven, commit)).toThrow('"n1" waited for "n2": does not hold')
})

test('a node that was assigned the same commit by two texts is told', () => {
  const twice = [...orderly, moment(5, 'n1', { by: `${commit} again` })]

  expect(() => checkAssignedOnce(twice, commit)).toThrow('"n1" was assigned once: does not hold')
})

test('a kubelet that calls its node unready while it starts is no disturbance', () => {
  const starting = { ...moment(2, 'n2', { says: 'Applying' }), ready: false }

  expect(() => checkUndisturbed([moment(1, 'n2'), starting, moment(3, 'n2', { says: 'Applied' })])).not.toThrow()
})

test('a node that is unready when nothing is changed, two that are at once, and one that is cordoned are told', () => {
  const starting = (node: string) => ({ ...moment(2, node, { says: 'Applying' }), ready: false })
  const idle = { ...moment(3, 'n2', { says: 'Applied' }), ready: false }

  expect(() => checkUndisturbed([idle])).toThrow('a node was unready only while it was changed')
  expect(() => checkUndisturbed([starting('n2'), starting('n1')])).toThrow('never two nodes were unready at once')
  expect(() => checkUndisturbed([{ ...moment(1, 'n2'), cordoned: true }])).toThrow('no node was cordoned')
})
