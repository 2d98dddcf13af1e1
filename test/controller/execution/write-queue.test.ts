import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WriteQueue } from '../../../src/controller/execution/write-queue.ts'

function aQueue() {
  const queue = new WriteQueue()
  const sent: string[] = []
  const recalled: string[] = []
  const ends = new Map<string, () => void>()
  const push = (pool: string, name: string, first = false): void =>
    queue.push({
      ...{ pool, first },
      send: () => {
        sent.push(name)
        return new Promise((resolve) => ends.set(name, resolve))
      },
      recalled: () => recalled.push(name),
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await turn()
  }
  return { queue, sent, recalled, push, end }
}

function fill(push: (pool: string, name: string) => void, pool: string, count: number): void {
  for (let index = 0; index < count; index += 1) push(pool, `${pool}${index}`)
}

test('a pool whose writes never end leaves room for the writes of another one', () => {
  const { sent, push } = aQueue()
  fill(push, 'a', 100)
  push('b', 'b0')
  expect(sent.length).toBe(17)
  expect(sent.at(-1)).toBe('b0')
})

test('a queue sends no more than 40 writes at a time, of however many pools', async () => {
  const { sent, push, end } = aQueue()
  for (const pool of ['a', 'b', 'c', 'd']) fill(push, pool, 20)
  expect(sent.length).toBe(40)
  await end('a0')
  expect(sent.length).toBe(41)
})

test('a pool with many writes and a pool with few take turns', async () => {
  const { sent, push, end } = aQueue()
  for (const pool of ['a', 'b', 'c']) fill(push, pool, 16)
  expect(sent.length).toBe(40)
  await end('a0')
  await end('a1')
  push('d', 'd0')
  await end('a2')
  await end('a3')
  expect(sent.slice(40).map((name) => name[0])).toEqual(['c', 'c', 'c', 'd'])
})

test('an uncordon is sent before assignments that were queued earlier', async () => {
  const { sent, push, end } = aQueue()
  fill(push, 'a', 20)
  push('a', 'uncordon', true)
  await end('a3')
  expect(sent.at(-1)).toBe('uncordon')
})

test.each([false, true])(
  'a pool that gets the places of another one one by one is sent both of its writes, first: %s',
  async (first) => {
    const { queue, sent, push, end } = aQueue()
    fill(push, 'a', 16)
    fill(push, 'b', 16)
    fill(push, 'c', 8)
    for (const name of ['d0', 'd1']) push('d', name, first)
    await end('a0')
    expect(queue.isWaiting('d')).toBe(true)
    await end('a1')
    expect(sent.slice(40)).toEqual(['d0', 'd1'])
  },
)

test('a queue takes back what was not sent, tells of each, and sends none of it', async () => {
  const { queue, sent, recalled, push, end } = aQueue()
  fill(push, 'a', 18)
  push('b', 'b0')
  expect([queue.isWaiting('a'), queue.isWaiting('b'), queue.isWaiting('c')]).toEqual([true, false, false])
  queue.recall()
  expect(recalled).toEqual(['a16', 'a17'])
  expect(queue.isWaiting('a')).toBe(false)
  await end('a0')
  expect(sent).toHaveLength(17)
  push('a', 'later')
  expect(sent.at(-1)).toBe('later')
  push('a', 'another')
  expect(sent.at(-1)).toBe('later')
})

test('a queue that ends sends nothing more, and waits for what was sent', async () => {
  const { queue, sent, push, end } = aQueue()
  fill(push, 'a', 20)
  let ended = false
  const ending = queue.end().then(() => {
    ended = true
  })
  for (let index = 0; index < 15; index += 1) await end(`a${index}`)
  expect({ ended, sent: sent.length }).toEqual({ ended: false, sent: 16 })
  await end('a15')
  await ending
  expect(ended).toBe(true)
})

test('a queue with nothing under way ends at once', async () => {
  await expect(aQueue().queue.end()).resolves.toBeUndefined()
})
