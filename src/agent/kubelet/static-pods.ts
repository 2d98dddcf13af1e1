import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import type { KubeletTarget } from './layout.ts'

/**
 * A kubelet that looks elsewhere stops the static pods of the old directory, and stays healthy: the API server and etcd of a
 * control-plane node may be among them, and then nobody can assign anything else.
 * @param changed paths that the same change writes or removes
 * @throws {AgentError} StaticPodsLost
 */
export async function refuseLostStaticPods(
  { staticPods: { before, after } }: Pick<KubeletTarget, 'staticPods'>,
  { changed, files }: { readonly changed: readonly string[]; readonly files: Pick<HostFiles, 'list' | 'stat'> },
): Promise<void> {
  if (before === undefined || before === after) return
  const kept = after === undefined ? [] : await manifestsIn(after, files)
  const lost = (await manifestsIn(before, files)).filter(
    (name) => !kept.includes(name) && !changed.includes(`${before}/${name}`) && !changed.includes(`${after}/${name}`),
  )
  if (lost.length === 0) return
  const becomes = after === undefined ? 'none' : `"${after}"`
  throw new AgentError(
    `change staticPodPath from "${before}" to ${becomes}: the static pods of ${lost.map((name) => `"${name}"`).join(', ')} would stop; move the manifests there, or remove them, and assign again`,
    { kind: 'validate', reason: 'StaticPodsLost' },
  )
}

/** The kubelet leaves out names that begin with a dot. */
async function manifestsIn(directory: string, files: Pick<HostFiles, 'list' | 'stat'>): Promise<string[]> {
  if ((await files.stat(directory))?.type !== 'directory') return []
  return (await files.list(directory)).filter((name) => !name.startsWith('.'))
}
