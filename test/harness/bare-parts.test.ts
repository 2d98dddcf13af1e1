/** What the end-to-end tests tell of a bare machine's way is read from several clocks, and some of it may not be seen. */
import { expect, test } from 'vitest'
import { partsOf } from '../e2e/product/bare-parts.ts'

test('parts of a way are told in the order in which they ended, each from the end of the one before', () => {
  const facts = [
    { name: 'containerd ready', at: 130 },
    { name: 'kubelet started', at: 180 },
    { name: 'images imported', at: 150 },
  ]
  expect(partsOf(100, facts)).toEqual([
    { name: 'containerd ready', milliseconds: 30 },
    { name: 'images imported', milliseconds: 20 },
    { name: 'kubelet started', milliseconds: 30 },
  ])
})

test('a part of a way that nothing shows is not told, and its time is in the next one', () => {
  const facts = [
    { name: 'planned', at: undefined },
    { name: 'kubelet started', at: 180 },
  ]
  expect(partsOf(100, facts)).toEqual([{ name: 'kubelet started', milliseconds: 80 }])
})
