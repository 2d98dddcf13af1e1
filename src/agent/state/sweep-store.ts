import type { HostFiles } from '../ports.ts'
import type { AgentState } from './state.ts'

const SHA256 = /[0-9a-f]{64}/g

/** Removes from the store what no checkpoint names, and no archive that one names. */
export async function sweepStore(
  digests: readonly (string | undefined)[],
  { state, files }: { readonly state: AgentState; readonly files: HostFiles },
): Promise<void> {
  const { store } = state.paths
  const names = await files.list(store)
  if (names.length === 0) return
  const kept = new Set<string>()
  const keepAllIn = (text = ''): void => text.match(SHA256)?.forEach((sha256) => void kept.add(sha256))
  for (const digest of digests) if (digest !== undefined) keepAllIn((await state.restore(digest))?.content.host)
  const manifests = names.filter((name) => name.endsWith('.json') && kept.has(digestOf(name)))
  for (const name of manifests) keepAllIn(Buffer.from((await files.read(`${store}/${name}`)) ?? []).toString())
  for (const name of names) if (!kept.has(digestOf(name))) await files.remove(`${store}/${name}`)
}

/** Both files and manifests are named by a digest. */
function digestOf(name: string): string {
  return name.slice(0, 64)
}
