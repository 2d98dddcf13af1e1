import { badRequest } from '../status-error.ts'

/** Where the next page starts, and of which revision of the list it is. */
export interface PageCursor {
  /** -1: whatever there is now, for those who go on after 410. */
  readonly revision: number
  readonly after: string
}

export function formatContinue(cursor: PageCursor): string {
  const token = { v: 'meta.k8s.io/v1', rv: cursor.revision, start: `${cursor.after}\u0000` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** @throws {StatusError} 400 */
export function parseContinue(token: string): PageCursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    const { rv, start } = parsed as { rv?: unknown; start?: unknown }
    if (typeof rv === 'number' && typeof start === 'string' && start.endsWith('\u0000'))
      return { revision: rv, after: start.slice(0, -1) }
  } catch {
    // Not base64 of JSON: the same answer as for JSON that is no cursor.
  }
  throw badRequest('invalid continue token: continue key is not valid')
}
