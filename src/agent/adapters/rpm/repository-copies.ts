import type { ResolveOptions } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'

export interface CopyOptions {
  readonly files: HostFiles
  /** Where the host looks for repositories. */
  readonly repositories: string
  /** Directory of the copies. */
  readonly into: string
  /** What the program is to read instead. */
  readonly adapted?: (text: string) => string
}

/** Pure: whether the files of the repositories change. */
export function changesRepositories(upcoming: ResolveOptions['upcoming'], repositories: string): boolean {
  return [...upcoming.keys()].some((path) => path.startsWith(`${repositories}/`))
}

/** Writes the repositories as they will be, and as they are, to a place of their own. */
export async function copyRepositories(
  upcoming: ResolveOptions['upcoming'],
  { files, repositories, into, adapted = (text) => text }: CopyOptions,
): Promise<void> {
  const write = (name: string, bytes: Uint8Array, change = adapted) =>
    files.writeAtomic(`${into}/${name}`, Buffer.from(change(Buffer.from(bytes).toString())), { mode: 0o600 })
  await files.writeAtomic(`${into}/.keep`, new Uint8Array())
  const there = (await files.list(repositories)).map((name) => `${repositories}/${name}`)
  const coming = [...upcoming.keys()].filter((path) => path.startsWith(`${repositories}/`))
  for (const path of new Set([...there, ...coming])) {
    if (!path.endsWith('.repo')) continue
    const now = await files.read(path)
    const next = upcoming.has(path) ? upcoming.get(path) : now
    const name = path.slice(repositories.length + 1)
    if (next !== undefined) await write(name, next)
    // What is installed came from where the host looks now: what it goes back to is fetched from there.
    if (now !== undefined && next !== now) await write(`before-${name}`, now, (text) => renamed(adapted(text)))
  }
}

/** No two repositories have one name. */
function renamed(repository: string): string {
  return repository.replace(/^\[(.+)\]/gm, '[before-$1]')
}
