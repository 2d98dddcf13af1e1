import { z } from 'zod'

/** What an operator may do from the page: the commands that it shows, and no other option of theirs. */
const ON_ONE = ['pause', 'resume', 'promote', 'retry', 'rollback', 'hold', 'release'] as const
const ON_ALL = ['resume'] as const

/** Names of pools and nodes, as a shell takes them as one word. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/

export const pageActionSchema = z.strictObject({
  words: z.union([z.tuple([z.enum(ON_ONE), z.string().regex(NAME)]), z.tuple([z.enum(ON_ALL), z.literal('--all')])]),
  /** Of a pause or a hold. */
  reason: z.string().max(200).default(''),
})

export type PageAction = z.infer<typeof pageActionSchema>

/** What the command for it printed. */
export interface ActionOutcome {
  readonly isDone: boolean
  readonly text: string
}
