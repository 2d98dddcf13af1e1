import { expect, test } from 'vitest'
import { capacityOf } from '../../src/render/node-capacity.ts'

const Gi = 2 ** 30

test('capacityOf reads what kubelets report, and rounds memory up so that another kernel changes nothing', () => {
  expect(capacityOf({ cpu: '4', memory: '16374572Ki' })).toEqual({ cpu: 4, memory: 15.75 * Gi })
  expect(capacityOf({ cpu: '4', memory: '16371004Ki' })).toEqual({ cpu: 4, memory: 15.75 * Gi })
  expect(capacityOf({ cpu: '7910m', memory: '17179869184' })).toEqual({ cpu: 7.91, memory: 16 * Gi })
  expect(capacityOf({ cpu: 8, memory: '32Gi' })).toEqual({ cpu: 8, memory: 32 * Gi })
})

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['nothing', {}],
  ['no numbers', { cpu: 'four', memory: '16Gb' }],
  ['other types', { cpu: ['4'], memory: { value: 1 } }],
  ['zero', { cpu: '0', memory: '0Ki' }],
  ['less than nothing', { cpu: '-4', memory: '-16Gi' }],
  ['more than any machine has', { cpu: '5000', memory: '2000000Gi' }],
  ['a number without end', { cpu: '9'.repeat(400), memory: '9'.repeat(400) }],
  ['an exponent', { cpu: '1e3', memory: '1e20' }],
  ['units by the names of members of objects', { cpu: '1constructor', memory: '1to' }],
])('capacityOf takes %s for not reported', (_, reported) => {
  expect(capacityOf(reported)).toEqual({})
})
