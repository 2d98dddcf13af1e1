import { posix } from 'node:path'
import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import type { UpcomingFiles } from '../resources/kind.ts'
import { KubeletDropIns } from './config-drop-ins.ts'
import { lenientManifest } from './kubelet-document.ts'
import { staticPodPath } from './kubelet-flags.ts'
import type { KubeletTarget } from './layout.ts'

/** Where the kubelet looks for static pods, now and with the plan; undefined: nowhere. */
export interface StaticPodPaths {
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Files behind `--config-dir` count, too. @param upcoming files as the plan leaves them */
export async function staticPodPaths(
  { document, args, before }: Pick<KubeletTarget, 'document' | 'args' | 'before'>,
  { files, upcoming }: { readonly files: HostFiles; readonly upcoming: UpcomingFiles },
): Promise<StaticPodPaths> {
  const dropIns = new KubeletDropIns(files)
  return {
    before: staticPodPath(await dropIns.over(before), before.args),
    after: staticPodPath(await dropIns.over({ document, args }, upcoming), args),
  }
}

/**
 * A kubelet that looks elsewhere stops the static pods of the old directory, and stays healthy: the API server and etcd of a
 * control-plane node may be among them, and then nobody can assign anything else.
 * @param plan.changed paths that the plan writes or removes
 * @throws {AgentError} StaticPodsLost
 */
export async function refuseLostStaticPods(
  { before, after }: StaticPodPaths,
  {
    changed,
    upcoming,
    files,
  }: { readonly changed: readonly string[]; readonly upcoming: UpcomingFiles; readonly files: Pick<HostFiles, 'list' | 'stat'> },
): Promise<void> {
  if (before === undefined || before === after) return
  const kept = after === undefined ? [] : await manifestsIn(after, files)
  const goes = (path: string) => upcoming.has(path) && upcoming.get(path) === undefined
  const isRead = (name: string) =>
    after !== undefined && !goes(`${after}/${name}`) && (kept.includes(name) || changed.includes(`${after}/${name}`))
  const lost = (await manifestsIn(before, files)).filter((name) => !isRead(name) && !goes(`${before}/${name}`))
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

/**
 * A manifest that the kubelet does not read would never be proved.
 * @throws {AgentError} StaticPodsElsewhere
 */
export function refuseUnread({ after }: StaticPodPaths, paths: readonly string[]): void {
  const unread = paths.find((path) => posix.dirname(path) !== after)
  if (unread === undefined) return
  const where = after === undefined ? 'its configuration has no staticPodPath' : `its staticPodPath is "${after}"`
  throw new AgentError(
    `write the static pod "${unread}": the kubelet does not read it, ${where}; change the path or the configuration`,
    {
      kind: 'validate',
      reason: 'StaticPodsElsewhere',
    },
  )
}

/**
 * Of two manifests of one pod the kubelet runs either, and not always the same.
 * @param paths of static pods @param plan.upcoming files as the plan leaves them
 * @throws {AgentError} StaticPodTwice
 */
export async function refuseTwins(
  paths: readonly string[],
  { files, upcoming }: { readonly files: HostFiles; readonly upcoming: UpcomingFiles },
): Promise<void> {
  for (const path of paths) {
    const directory = posix.dirname(path)
    const coming = [...upcoming.keys()].filter((other) => posix.dirname(other) === directory)
    if (coming.length === 0) continue
    const there = (await manifestsIn(directory, files)).map((name) => `${directory}/${name}`)
    const podOf = async (file: string) => lenientManifest(upcoming.has(file) ? upcoming.get(file) : await contentOf(file, files))
    const pod = await podOf(path)
    for (const other of new Set([...there, ...coming.filter((file) => !posix.basename(file).startsWith('.'))])) {
      const found = other === path ? undefined : await podOf(other)
      if (found !== undefined && found.name === pod?.name && found.namespace === pod.namespace) throw twice(path, other, found)
    }
  }
}

function twice(
  path: string,
  other: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): AgentError {
  return new AgentError(
    `write the static pod "${path}": "${other}" has a pod "${namespace}/${name}", too, and the kubelet runs only one of them; remove or rename one`,
    { kind: 'validate', reason: 'StaticPodTwice' },
  )
}

/** The kubelet reads through a link. */
async function contentOf(path: string, files: HostFiles): Promise<Uint8Array | undefined> {
  const type = (await files.stat(path))?.type
  const target = type === 'symlink' ? posix.resolve(posix.dirname(path), (await files.readLink(path)) ?? '') : path
  return (await files.stat(target))?.type === 'file' ? files.read(target) : undefined
}
