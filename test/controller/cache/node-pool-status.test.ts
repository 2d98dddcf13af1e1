import { expect, test } from 'vitest'
import type { z } from 'zod'
import { type nodePoolStatus, parsePoolStatus } from '../../../src/controller/cache/node-pool-status.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'

/** Members of a status, at any depth, that the schema lacks: the API server would drop them, and a decision forget them. */
type Unwritten<Written, Read> = Written extends readonly (infer W)[]
  ? Read extends readonly (infer R)[]
    ? Unwritten<W, R>
    : never
  : Written extends object
    ?
        | Exclude<keyof Written, keyof Read>
        | { [K in keyof Written & keyof Read]: Unwritten<NonNullable<Written[K]>, NonNullable<Read[K]>> }[keyof Written &
            keyof Read]
    : never
test('the schema of the status has every member that is written', () => {
  const lacksNone: [Unwritten<NodePoolStatus, z.infer<typeof nodePoolStatus>>] extends [never] ? true : false = true

  expect(lacksNone).toBe(true)
})

test('which waves were opened, and their frozen sizes, are read back as they were written', () => {
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'], sizes: [{ name: 'early', nodes: 10 }] }

  expect(parsePoolStatus({ wave })).toEqual({ wave })
})
