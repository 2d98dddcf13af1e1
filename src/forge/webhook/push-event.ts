import * as z from 'zod'

/** What a forge tells of a push, as far as it is believed: the commit itself is read from the repository. */
export interface PushEvent {
  /** `group/name`, as the forge spells it. */
  readonly repository: string
  /** `refs/heads/main`. */
  readonly ref: string
}

const ref = z.string().max(1024)
const path = z.string().max(1024)

/** Of GitHub, Gitea and Forgejo; of GitLab. */
const event = z.union([
  z.object({ ref, repository: z.object({ full_name: path }) }),
  z.object({ ref, project: z.object({ path_with_namespace: path }) }),
])

/** @returns undefined when the body is not the push event of a forge. */
export function readPushEvent(body: Uint8Array): PushEvent | undefined {
  const { data } = event.safeParse(parseJson(body))
  if (data === undefined) return undefined
  return { ref: data.ref, repository: 'project' in data ? data.project.path_with_namespace : data.repository.full_name }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
