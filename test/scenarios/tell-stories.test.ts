import { expect, test } from 'vitest'
import { failureOf } from './tell-stories.ts'

const kind = {
  name: 'fast',
  steps: 10,
  tell: (seed: number, steps: number) =>
    steps < 3 ? ({ ok: true } as const) : ({ ok: false, error: 'too much', lines: [`${seed} was told`] } as const),
}

test('a story that fails is told from its shortest beginning that does, with the command to tell it again', async () => {
  expect(await failureOf(kind, 7)).toBe(
    '7 was told\n\ntoo much\n\ntell it again:\n  npm run soak -- --kind fast --seed 7 --steps 3',
  )
})

test('a story that does not fail is not told', async () => {
  expect(await failureOf({ ...kind, steps: 2 }, 7)).toBeUndefined()
})
