import { expect, test } from 'vitest'
import { failureOf, type Kind } from './tell-stories.ts'

interface Stories {
  /** Whose rules they are: the subject of the claim. */
  readonly fleet: string
  /** Stories of a batch; each batch is one test. */
  readonly size: number
  /** Default: 1 */
  readonly batches?: number
  /** Situations that some story of each batch comes to. */
  readonly reaches?: readonly string[]
  /** Seeds of stories that once failed. */
  readonly failed?: readonly number[]
}

/** Milliseconds. A batch takes some seconds of one processor on a quiet machine; it never waits for anything else. */
const PATIENCE = 180_000

/** Stories of a kind, from seed 0 on, and those that once failed. */
export function testStories(kind: Kind, { fleet, size, batches = 1, reaches = [], failed = [] }: Stories): void {
  const starts = Array.from({ length: batches }, (_, batch) => batch * size)
  test.each(starts)(
    `${fleet} keeps its rules through any story from seed %i on`,
    async (start) => {
      const reached = new Set<string>()
      for (let seed = start; seed < start + size; seed++)
        expect(await failureOf(kind, seed, (situation) => void reached.add(situation))).toBeUndefined()
      expect(reaches.filter((situation) => !reached.has(situation))).toEqual([])
    },
    PATIENCE,
  )

  test.each(failed)(
    `story %i of ${fleet}, which once failed, holds`,
    async (seed) => {
      expect(await failureOf(kind, seed)).toBeUndefined()
    },
    PATIENCE,
  )
}
