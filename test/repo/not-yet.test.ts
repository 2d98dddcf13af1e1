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
  expect(
    notYetActedOn('NodePool', { rollout: { drain: { mode: 'Never' }, waves: [{ manual: false }] }, kubelet: { layout: 'env' } }),
  ).toEqual([])
})

test('of several waves, the one that asks is named', () => {
  expect(notYetActedOn('Fleet', { rollout: { waves: [{ manual: false }, { manual: true }] } })).toEqual([
    ['rollout', 'waves', 1, 'manual'],
  ])
})
