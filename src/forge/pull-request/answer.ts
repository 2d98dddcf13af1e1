import type * as z from 'zod'
import { ForgeError } from '../status/commit-status.ts'
import type { ForgeAccess } from '../status/forge-request.ts'

interface Expected<T> {
  readonly shape: z.ZodType<T>
  readonly what: string
  readonly access: ForgeAccess
}

/** @throws {ForgeError} when the answer is something else. */
export function answerAs<T>(answer: unknown, { shape, what, access }: Expected<T>): T {
  const found = shape.safeParse(answer)
  if (!found.success) throw new ForgeError(`${access.url}: the answer is no ${what}`)
  return found.data
}
