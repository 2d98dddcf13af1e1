import { expect, test } from 'vitest'
import { restored } from '../kinds.ts'
import { failureOf } from '../tell-stories.ts'

test.each([790_000_095, 790_000_097, 791_000_256, 820_000_011, 820_000_175, 820_000_448, 1_493_000_010, 0, 1, 2])(
  'a fleet whose etcd is restored from backups keeps its rules through the story from seed %i',
  async (seed) => {
    expect(await failureOf(restored, seed)).toBeUndefined()
  },
  180_000,
)
