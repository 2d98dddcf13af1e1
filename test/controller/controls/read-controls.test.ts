import { expect, test } from 'vitest'
import { fleetControls, poolControls } from '../../../src/controller/controls/controls.ts'

const AT = '2026-11-21T08:00:00Z'
const ann = { who: 'ann', at: AT }
const of = (annotations: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`nodewave.io/${key}`, value]))

test.each<readonly [what: string, annotations: Readonly<Record<string, string>>, controls: object]>([
  ['nothing', {}, {}],
  ['another annotation', { other: 'x' }, {}],
  ['a pause', { paused: 'storm' }, { paused: 'storm' }],
  ['a pause without a reason', { paused: '' }, { paused: '' }],
  ['a pause, and who asked', { paused: 'storm', 'paused-by': `ann ${AT}` }, { paused: 'storm', by: { paused: ann } }],
  ['who asked in another form', { paused: 'storm', 'paused-by': 'ann' }, { paused: 'storm' }],
  ['who took a pause back', { 'paused-by': `ann ${AT}` }, { by: { paused: ann } }],
  ['a promotion', { promote: 'abc' }, { promoted: 'abc' }],
  ['a retry', { retry: 'abc' }, { retry: 'abc' }],
  ['a rollback', { rollback: 'abc', 'rollback-by': `ann ${AT}` }, { rollback: 'abc', by: { rollback: ann } }],
  ['a look', { 'reconcile-at': AT }, { reconcileAt: AT }],
  ['an end of drains', { 'stop-drains': '' }, { stopDrains: true }],
  ['a long reason', { paused: 'x'.repeat(501) }, { paused: 'x'.repeat(500) }],
])('the annotations of a pool ask for %s', (_, annotations, controls) => {
  expect(poolControls(of(annotations))).toEqual(controls)
})

test.each<readonly [what: string, annotations: Readonly<Record<string, string>> | undefined, controls: object]>([
  ['nothing, when it is not there', undefined, {}],
  ['a pause', { paused: 'storm' }, { paused: 'storm' }],
  ['a pause, and who asked', { paused: 'storm', 'paused-by': `ann ${AT}` }, { paused: 'storm', pausedBy: ann }],
  ['a promotion, whoever asked', { promote: 'abc', 'promote-by': `ann ${AT}` }, { promoted: 'abc' }],
  ['a retry', { retry: 'abc' }, { retry: 'abc' }],
  ['an end of drains', { 'stop-drains': '' }, { stopDrains: true }],
  ['no rollback, which is of a pool', { rollback: 'abc' }, {}],
])('the ConfigMap of the fleet asks for %s', (_, annotations, controls) => {
  expect(fleetControls(annotations && of(annotations))).toEqual(controls)
})
