import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean, nearest } from '../../src/repo/suggest.ts'

test.each([
  ['maxPodz', 'maxPods'],
  ['configMod', 'configMode'],
  ['basline', 'baseline'],
  ['MaxPods', 'maxPods'],
  ['clsuterDNS', 'clusterDNS'],
])('nearest finds what was meant by %s', (word, meant) => {
  expect(nearest(word, ['maxPods', 'configMode', 'baseline', 'clusterDNS', 'podsPerCore'])).toBe(meant)
})

test('nearest finds nothing when nothing is near', () => {
  expect(nearest('weather', ['maxPods', 'clusterDNS'])).toBeUndefined()
  expect(didYouMean('weather', [])).toBeUndefined()
})

test('didYouMean asks', () => {
  expect(didYouMean('maxPodz', ['maxPods'])).toBe('did you mean "maxPods"?')
})

test('nearest finds a word again after any one slip of the finger', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 3, maxLength: 20 })
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom('drop', 'double', 'swap'), (text, at, slip) => {
      const index = at % (text.length - 1)
      const [a = '', b = ''] = [text[index], text[index + 1]]
      const slipped = { drop: b, double: a + a + b, swap: b + a }[slip]
      expect(nearest(text.slice(0, index) + slipped + text.slice(index + 2), [text])).toBe(text)
    }),
  )
})
