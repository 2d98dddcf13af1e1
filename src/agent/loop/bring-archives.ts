import { bringArchive, hasManifest } from '../archive/bring-archive.ts'
import type { AgentContext } from '../context.ts'
import { enforceOnContent, readHostPolicy } from '../policy/enforce-policy.ts'
import { sourceOf } from '../resources/archives.ts'
import { readDocument } from '../resources/read-document.ts'
import type { Assignment } from './fetch.ts'

/**
 * Archives come before the host is compared with what it is to become: what is managed on it depends on what they hold.
 * @throws {AgentError} also for what the policy of the host forbids: nothing is downloaded for that
 */
export async function bringArchives(
  {
    goal,
    goingBack,
    signal,
  }: { readonly goal: Assignment | undefined; readonly goingBack?: unknown; readonly signal: AbortSignal },
  context: AgentContext,
): Promise<void> {
  const { ports, state, kinds, options } = context
  if (goal?.content.host === undefined) return
  const { archives = [] } = readDocument(goal.content, kinds)
  const place = { files: ports.files, paths: state.paths }
  for (const source of archives.map((archive) => sourceOf(archive, options.arch))) {
    if (await hasManifest(source, place)) continue
    if (goingBack === undefined) enforceOnContent(await readHostPolicy(ports.files), goal.content, kinds)
    await bringArchive(source, { ports, paths: state.paths, signal })
  }
}
