import { expect, test } from 'vitest'
import { Random } from '../scenarios/random.ts'
import { sampleByFolder } from './sample.ts'

const of = (folder: string, count: number) => Array.from({ length: count }, (_, index) => ({ path: `${folder}/${index}.ts` }))

test('a sample has of each folder its share', () => {
  const all = [...of('a', 60), ...of('b', 30), ...of('c', 10)]
  for (const seed of [1, 2, 3, 4, 5]) {
    const sample = sampleByFolder(all, 20, new Random(seed))
    const count = (folder: string) => sample.filter(({ path }) => path.startsWith(folder)).length
    expect(sample).toHaveLength(20)
    expect(Math.abs(count('a') - 12)).toBeLessThanOrEqual(1)
    expect(Math.abs(count('b') - 6)).toBeLessThanOrEqual(1)
    expect(Math.abs(count('c') - 2)).toBeLessThanOrEqual(1)
  }
})

test('the same seed gives the same sample, another one another', () => {
  const all = of('a', 60)
  const sample = (seed: number) => sampleByFolder(all, 5, new Random(seed))
  expect(sample(1)).toEqual(sample(1))
  expect(sample(1)).not.toEqual(sample(2))
})
