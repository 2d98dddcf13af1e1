import { expect, test } from 'vitest'
import { forEach, forEnough, throwFirst } from '../../../src/controller/writes/for-each.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'

function answer(code: number): KubeError {
  return new KubeError(`answer ${code}`, { code, reason: '' })
}

/** Works on items in turn; each is what its work fails with. @returns what was tried, and what came of it */
async function tried(items: readonly (Error | undefined)[], atOnce = 1) {
  const begun: (Error | undefined)[] = []
  const failed = await forEach(items, { atOnce }, async (item) => {
    begun.push(item)
    await Promise.resolve()
    if (item) throw item
  }).catch((error: unknown) => error)
  return { begun: begun.length, failed: failed instanceof Map ? [...failed.keys()].map((item) => Object(item).code) : failed }
}

test('forEach goes on with the others when one fails, whatever the server says of it', async () => {
  const items = [answer(500), undefined, answer(403), answer(409), new TypeError('ours'), answer(500), answer(500), undefined]
  expect(await tried(items)).toEqual({ begun: 8, failed: [500, 403, 409, undefined, 500, 500] })
})

test('forEach goes on when a request that has no answer is the only one', async () => {
  expect(await tried([answer(0), undefined, answer(504), undefined])).toEqual({ begun: 4, failed: [0, 504] })
})

test.for([0, 429, 502, 503, 504])('forEach leaves the rest when two in a row get %i', async (code) => {
  const away = answer(code)
  expect(await tried([undefined, away, away, undefined, undefined])).toEqual({ begun: 3, failed: away })
})

test('forEach has so many under way at once, and ends those before it gives up', async () => {
  let most = 0
  let now = 0
  let ended = 0
  const work = forEach(Array(100).keys(), { atOnce: 8 }, async () => {
    now += 1
    most = Math.max(most, now)
    await Promise.resolve()
    now -= 1
    ended += 1
    throw answer(0)
  })
  await expect(work).rejects.toThrow('answer 0')
  expect({ most, now, ended }).toEqual({ most: 8, now: 0, ended: 9 })
})

test('throwFirst throws the one failure as it is, and of many tells the first', () => {
  expect(() => throwFirst([])).not.toThrow()
  expect(() => throwFirst([answer(403)])).toThrow(KubeError)
  expect(() => throwFirst([1, 2, 3, 4, 5].map(answer))).toThrow(/^answer 1; answer 2; answer 3; and 2 more$/)
})

test('throwFirst tells three failures, and how many more there are', () => {
  const failures = (count: number) => Array.from({ length: count }, (_, index) => new Error(`e${index}`))

  expect(() => throwFirst(failures(3))).toThrow(/^e0; e1; e2$/)
  expect(() => throwFirst(failures(4))).toThrow(/^e0; e1; e2; and 1 more$/)
})

/** Each item is what its work fails with; `late` works, and has not come about. @returns what was tried, and what came of it */
async function enough(items: readonly (Error | 'done' | 'late')[]) {
  const begun: unknown[] = []
  const work = forEnough(
    items.map((is) => ({ is })),
    { atOnce: 1, enough: 2, hasComeAbout: ({ is }) => is !== 'late' },
    async (item) => {
      begun.push(item)
      if (item.is instanceof Error) throw item.is
    },
  )
  const outcome = await work.then(
    ({ isDone }) => isDone,
    ({ message }: Error) => message,
  )
  return [begun.length, outcome]
}

test.each<readonly [what: string, items: readonly (Error | 'done' | 'late')[], begun: number, outcome: boolean | string]>([
  ['nothing', [], 0, true],
  ['as many as are enough', ['done', 'done'], 2, true],
  ['more than are enough', ['done', 'done', 'done'], 2, false],
  ['one that fails, which takes no place of another', [answer(403), 'done', 'done', 'done', 'done'], 4, false],
  ['two that fail, at the end', ['done', answer(403), answer(404)], 3, 'answer 403; answer 404'],
  ['one that has not come about', ['late', 'done', 'done', 'done', 'done'], 4, false],
  ['only such as have not come about', ['late', 'late', 'late'], 3, true],
])('forEnough does %s', async (_, items, begun, outcome) => {
  expect(await enough(items)).toEqual([begun, outcome])
})

test('forEnough counts what did not fail when it is not said what has to come about', async () => {
  const work = async () => undefined
  expect(await forEnough([1, 2, 3], { atOnce: 1, enough: 2 }, work)).toEqual({ isDone: false })
})
