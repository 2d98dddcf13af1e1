import type * as z from 'zod'
import { ForgeError } from './commit-status.ts'
import type { ForgeAccess } from './forge-request.ts'

/** Of GitHub and GitLab, and of Gitea: as many as the forges give at most. */
const FULL_PAGES: ReadonlySet<number> = new Set([100, 50])
const MOST_PAGES = 10

/** Asks for one page after the other until one is not full. A commit with more statuses is read in part: some may be posted twice. */
export async function allPages<T>(ask: (page: number) => Promise<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = []
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const found = await ask(page)
    all.push(...found)
    if (!FULL_PAGES.has(found.length)) break
  }
  return all
}

/** @throws {ForgeError} when the answer is something else. */
export function listIn<T>(
  answer: unknown,
  { listed, access }: { readonly listed: z.ZodType<readonly T[]>; readonly access: ForgeAccess },
): readonly T[] {
  const found = listed.safeParse(answer)
  if (!found.success) throw new ForgeError(`${access.url}: the answer is no list of statuses`)
  return found.data
}
