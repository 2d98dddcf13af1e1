import type { NodeContent } from '../../protocol/digest.ts'
import { patchEnvironmentFile, readEnvironmentFile } from '../../protocol/environment-file.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import { joinFlags } from '../kubelet/kubelet-flags.ts'
import { withTheirEdits } from '../resources/kubelet-environment.ts'
import { sha256Of } from '../transaction/change.ts'
import { compare } from '../transaction/prospect.ts'
import { captureFile, type LocalFile, originalPath, readLocal, writeLocal } from './local.ts'

/**
 * Takes the local configuration anew: what others (`kubeadm upgrade node`, an administrator) wrote since nodewave took over becomes
 * what Git's configuration goes over, and what a node returns to. What still is as nodewave made it keeps the original it had.
 * @returns the paths that were taken anew
 * @throws {AgentError} when nothing is managed here, or while something is being applied
 */
export async function rebase(context: AgentContext): Promise<string[]> {
  const { state, journal, ports } = context
  const digest = await state.digest('active')
  const active = digest === undefined ? undefined : await state.restore(digest)
  if (active === undefined) throw refuse('nothing is managed on this host', 'NothingManaged')
  if (await journal.open()) throw refuse('a change is being applied; try again when it has ended', 'TransactionOpen')
  const { target } = await compare(active.content, context)
  const place = { paths: state.paths, host: ports }
  const local = await readLocal(place)
  const changed = new Set<string>()
  for (const resource of target.resources) if ((await resource.observe(ports)).change) changed.add(resource.subject)
  const files: LocalFile[] = []
  for (const file of local.files)
    files.push(await takeAnew(file, { changed: changed.has(file.path), content: active.content, context }))
  await writeLocal({ ...local, files }, place)
  // What the host should be is another thing now: the agent finds no outcome, and works it out again.
  await state.forgetOutcome()
  return files.filter((file, index) => file.saved?.sha256 !== local.files[index]?.saved?.sha256).map(({ path }) => path)
}

async function takeAnew(
  file: LocalFile,
  { changed, content, context }: { readonly changed: boolean; readonly content: NodeContent; readonly context: AgentContext },
): Promise<LocalFile> {
  const { ports, state } = context
  const place = { paths: state.paths, host: ports }
  if (file.variables === undefined) return changed ? captureFile(file, place) : file
  const taken = await captureFile(file, place)
  if (taken.saved === undefined) return taken
  const current = (await ports.files.read(file.path)) ?? new Uint8Array()
  const before = (file.saved && (await ports.files.read(file.saved.at))) ?? new Uint8Array()
  const base = withTheirEdits(current, { original: before, ours: file.variables })
  const bytes = patchEnvironmentFile(base, theirValues(file.variables, { current, before, content }))
  const at = originalPath(file.path, { sha256: sha256Of(bytes), paths: state.paths })
  await ports.files.writeAtomic(at, bytes, { mode: 0o600 })
  return { ...taken, saved: { ...taken.saved, at, sha256: sha256Of(bytes) } }
}

/** Our flags stand after theirs in one variable: without them, what is left is theirs. */
function theirValues(
  variables: readonly string[],
  { current, before, content }: { readonly current: Uint8Array; readonly before: Uint8Array; readonly content: NodeContent },
): Record<string, string | undefined> {
  const now = readEnvironmentFile(current)
  const then = readEnvironmentFile(before)
  const ours = joinFlags(content.flags, content.opts)
  return Object.fromEntries(
    variables.map((name) => {
      const value = now.get(name)
      if (value === ours || value === content.version || value === joinFlags(then.get(name), ours)) return [name, then.get(name)]
      return [name, ours !== '' && value?.endsWith(ours) ? value.slice(0, -ours.length).trim() : value]
    }),
  )
}

function refuse(message: string, reason: string): AgentError {
  return new AgentError(`take the local configuration anew: ${message}`, { kind: 'internal', reason })
}
