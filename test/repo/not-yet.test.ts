import { expect, test } from 'vitest'
import { NOT_YET, notYetActedOn } from '../../src/repo/not-yet.ts'

test.each(NOT_YET.map((entry) => [`${entry.kind} ${entry.path.join('.')}`, entry] as const))(
  '%s is refused when it asks for something',
  (_, entry) => {
    const spec = entry.path.reduceRight<unknown>((value, step) => (step === '*' ? [value] : { [step]: value }), 'asked for')

    expect(notYetActedOn(entry.kind, spec)).toEqual([entry.path.map((step) => (step === '*' ? 0 : step))])
  },
)

test('a value that asks for nothing is let through', () => {
  expect(notYetActedOn('NodePool', { rollout: { drain: { mode: 'Never' } }, kubelet: { layout: 'env' } })).toEqual([])
})

test('of several gates, the one that asks is named', () => {
  const known = [{ kind: 'NodePool', path: ['rollout', 'gates', '*', 'kind'], except: ['old'] }]

  expect(notYetActedOn('NodePool', { rollout: { gates: [{ kind: 'old' }, { kind: 'new' }] } }, known)).toEqual([
    ['rollout', 'gates', 1, 'kind'],
  ])
})
