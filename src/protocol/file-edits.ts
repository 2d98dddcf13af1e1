import * as z from 'zod/mini'

/** What begins a comment in most files of a host. */
export const COMMENT = '#'
/** Of the block that has the lines which are nowhere else in the file. */
export const LINES = 'lines'

export const BLOCK_NAME = /^(?!lines$)[a-z0-9][a-z0-9.-]{0,60}$/
export const COMMENT_SIGN = /^[!-~]{1,4}$/
/** One line with something on it, which is no mark. */
export const ADDED_LINE = /^(?![\s\S]* (?:BEGIN|END) nodewave )[^\0\n\r]*[^\0\n\r\s][^\0\n\r]*$/
/** A mark within a block would end it, or begin another. */
export const BLOCK_CONTENT = /^(?![\s\S]* (?:BEGIN|END) nodewave )[^\0]*$/

/** What is added to a file that is its owner's. The host document adds the path. */
export const fileEdits = z.strictObject({
  blocks: z.optional(
    z.array(z.strictObject({ name: z.string().check(z.regex(BLOCK_NAME)), content: z.string().check(z.regex(BLOCK_CONTENT)) })),
  ),
  lines: z.optional(z.array(z.string().check(z.regex(ADDED_LINE)))),
  comment: z.optional(z.string().check(z.regex(COMMENT_SIGN))),
})

export type FileEdits = z.infer<typeof fileEdits>
