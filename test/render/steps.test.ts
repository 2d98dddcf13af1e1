import { expect, test } from 'vitest'
import { renderHostDocument } from '../../src/render/render-host.ts'
import { aDocument, problemsOf } from '../repo/fleets.ts'
import { aFleet, WORKERS } from './fleets.ts'

const rendered = (a: string, b: string) => {
  const model = aFleet({ 'NodePool workers': `${WORKERS}\nhostProfiles: [a, b]`, 'HostProfile a': a, 'HostProfile b': b })
  const [pool] = model.pools.values()
  if (pool === undefined) throw new Error('no pool')
  return renderHostDocument(model, { pool, overrides: [] }).steps
}

test('steps of several profiles are run in the order of the profiles, and each once', () => {
  expect(rendered('steps: {before: [leave, wait]}', 'steps: {before: [wait, tell], after: [enter]}')).toEqual({
    before: ['leave', 'wait', 'tell'],
    after: ['enter'],
  })
})

test('a pool without steps has none in its document', () => {
  expect(rendered('files: []', 'steps: {before: []}')).toBeUndefined()
})

test.each([
  ['{before: ["/usr/local/sbin/leave --all"]}', 'expected the name of a step in the policy of the hosts'],
  ['{before: [{name: a, command: [/bin/true]}]}', 'expected a string'],
  ['{during: [a]}', 'during'],
])('steps %s are refused: what they run is no business of Git', (steps, message) => {
  const found = problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {steps: ${steps}}\n`) })
  expect(found[0]).toContain(message)
})
