import { expect, test } from 'vitest'
import { scattered } from '../../../src/rollout/model/scattered.ts'
import { stableHash } from '../../../src/rollout/model/stable-hash.ts'

const order = (names: readonly string[], classOf = (_: string) => 0) =>
  scattered(names, { scope: 'workers', nameOf: (name) => name, classOf })

const names = Array.from({ length: 500 }, (_, index) => `node-${index}`)

test('scattered orders by class, then by the hash of the name', () => {
  const classOf = (name: string) => name.length
  const expected = names.toSorted((a, b) => classOf(a) - classOf(b) || stableHash('workers', a) - stableHash('workers', b))

  expect(order(names, classOf)).toEqual(expected)
  expect(order(names.toReversed(), classOf)).toEqual(expected)
})

test('scattered orders names of one hash by name, whatever the order they came in', () => {
  const [first, second] = namesOfOneHash()

  expect(order([second, ...names, first]).filter((name) => name === first || name === second)).toEqual([first, second])
  expect(order([first, ...names, second]).filter((name) => name === first || name === second)).toEqual([first, second])
})

function namesOfOneHash(): readonly [string, string] {
  const seen = new Map<number, string>()
  for (let index = 0; ; index++) {
    const name = `twin-${String(index).padStart(7, '0')}`
    const hash = stableHash('workers', name)
    const twin = seen.get(hash)
    if (twin !== undefined) return [twin, name]
    seen.set(hash, name)
  }
}
