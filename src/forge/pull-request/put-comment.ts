import type { PullRequests } from './pull-requests.ts'

export interface OneComment {
  readonly number: number
  /** A line that no other comment of ours has. The body begins with it. */
  readonly marker: string
  readonly body: string
}

/** Keeps one comment on a pull request, however often it is called: the first time it is written, then updated in place. */
export async function putComment(
  pullRequests: PullRequests,
  { number, marker, body }: OneComment,
  signal: AbortSignal,
): Promise<'created' | 'updated' | 'unchanged'> {
  const comments = await pullRequests.ownComments(number, signal)
  const before = comments.find((comment) => comment.body.startsWith(marker))
  if (before === undefined) {
    await pullRequests.comment(number, body, signal)
    return 'created'
  }
  // Forges may end lines in their own way, and drop what stands at the end.
  if (plain(before.body) === plain(body)) return 'unchanged'
  await pullRequests.edit(number, { id: before.id, body }, signal)
  return 'updated'
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd()
}
