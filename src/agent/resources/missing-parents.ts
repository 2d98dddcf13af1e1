import { dirname } from 'node:path/posix'
import type { HostFiles } from '../ports.ts'
import type { Managed } from '../state/managed.ts'

/**
 * The directories that would be made if a file were written there, the innermost first.
 * @param options.ours directories that are there only because we made them: they count as missing
 */
export async function missingParents(
  path: string,
  { files, ours = [] }: { readonly files: Pick<HostFiles, 'stat'>; readonly ours?: readonly string[] },
): Promise<string[]> {
  const directory = dirname(path)
  if (directory === '/') return []
  if (!ours.includes(directory) && (await files.stat(directory)) !== undefined) return []
  return [directory, ...(await missingParents(directory, { files, ours }))]
}

/** Of those that came with something: what is managed by itself stays. */
export function directoriesToRemove(
  directories: readonly string[] | undefined,
  { claims }: Managed,
): readonly string[] | undefined {
  return directories?.filter((path) => !claims.some(({ kind, key }) => kind === 'directory' && key === path))
}

/** Takes a file or a link away, and then the directories that came with it, as far as they are empty. */
export async function removeWithDirectories(
  { path, directories = [] }: { readonly path: string; readonly directories?: readonly string[] | undefined },
  files: HostFiles,
): Promise<void> {
  await files.remove(path)
  for (const directory of directories) await files.removeEmpty(directory)
}
