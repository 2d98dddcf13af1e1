import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitFlagString } from '../../src/protocol/flag-string.ts'
import { FlagValueError, quoteFlags } from '../../src/render/quote-flags.ts'

test.each([
  ['a string', { 'node-ip': '10.0.0.1' }, '--node-ip=10.0.0.1'],
  ['a number', { v: 2 }, '--v=2'],
  ['booleans', { a: true, b: false }, '--a=true --b=false'],
  ['a list', { 'tls-cipher-suites': ['A', 'B'] }, '--tls-cipher-suites=A,B'],
  ['an empty list', { 'cluster-dns': [] }, '--cluster-dns='],
  ['a map, by key', { 'feature-gates': { Zeta: true, Alpha: false } }, '--feature-gates=Alpha=false,Zeta=true'],
  [
    'labels without value',
    { 'node-labels': { 'node-role.kubernetes.io/gpu': '' } },
    '--node-labels=node-role.kubernetes.io/gpu=',
  ],
  ['taints', { 'register-with-taints': { dedicated: 'gpu:NoSchedule' } }, '--register-with-taints=dedicated=gpu:NoSchedule'],
  ['eviction thresholds', { 'eviction-hard': { 'memory.available': '100Mi' } }, '--eviction-hard=memory.available<100Mi'],
  [
    'grace periods of evictions',
    { 'eviction-soft-grace-period': { 'memory.available': '2m' } },
    '--eviction-soft-grace-period=memory.available=2m',
  ],
  ['several, by name', { v: 1, a: 'x', 'b-c': 'y' }, '--a=x --b-c=y --v=1'],
  ['a value with a blank', { x: 'a b' }, "'--x=a b'"],
])('quoteFlags writes %s in the syntax of the kubelet', (_, flags, text) => {
  expect(quoteFlags(flags)).toBe(text)
})

test.each([
  ['a comma in an item', { x: ['a,b'] }, 'flag --x: "a,b" has a , in it, which the kubelet would take for the end of the item'],
  ['a quote in an item', { x: ['a"b'] }, 'flag --x: "a"b" has a " in it, which the kubelet would take for the end of the item'],
  [
    'an equals sign in a key',
    { x: { 'a=b': 1 } },
    'flag --x: "a=b" has a = in it, which the kubelet would take for the end of the item',
  ],
  [
    'a comma in a value',
    { x: { a: '1,2' } },
    'flag --x: "1,2" has a , in it, which the kubelet would take for the end of the item',
  ],
  ['a blank around an item', { x: [' a'] }, 'flag --x: " a" begins or ends with a blank, which the kubelet would take away'],
  ['an empty item', { x: ['a', ''] }, 'flag --x: an item is empty, which the kubelet would leave out'],
  ['a line break', { x: 'a\nb' }, 'flag --x: "a\\nb" has the character U+000A in it, which no environment file carries'],
])('quoteFlags refuses %s', (_, flags, message) => {
  expect(() => quoteFlags(flags)).toThrow(FlagValueError)
  expect(() => quoteFlags(flags)).toThrow(message)
})

test('quoteFlags arrives at the kubelet as one argument a flag, whatever printable text the values have', () => {
  const name = fc.stringMatching(/^[a-z][a-z-]{0,9}$/)
  const value = fc.string({ unit: fc.constantFrom(' ', '"', "'", '\\', '$', '`', '=', ',', 'a', 'é', '😀', '#') })
  fc.assert(
    fc.property(fc.dictionary(name, value), (flags) => {
      const expected = Object.keys(flags)
        .sort()
        .map((flag) => `--${flag}=${flags[flag]}`)
      expect(splitFlagString(quoteFlags(flags))).toEqual(expected)
    }),
  )
})

test('quoteFlags writes the same text whatever the order the flags were stated in', () => {
  const flags = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,9}$/), fc.boolean())
  fc.assert(
    fc.property(flags, (stated) => {
      expect(quoteFlags(Object.fromEntries(Object.entries(stated).reverse()))).toBe(quoteFlags(stated))
    }),
  )
})
