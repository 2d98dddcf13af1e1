import { dirname } from 'node:path/posix'
import type { HostFiles } from '../ports.ts'

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
