import * as z from 'zod/mini'
import type { DerivedFile } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import type { Managed } from '../state/managed.ts'
import type { FileBaseline } from './file-baseline.ts'
import { verifyContent } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { HostHands, UndoOf } from './kind.ts'
import { directoriesToRemove } from './missing-parents.ts'
import type { ActualFile } from './regular-file.ts'

/** A file of ours, which counts once a program has read it. */
export interface OwnFileSpec {
  readonly path: string
  /** Missing: as it was before. */
  readonly content?: string
  readonly before?: FileBaseline
}

/** Pure. */
export function differOwnFile({ path, content, before }: OwnFileSpec, actual: ActualFile | undefined): FileChange | undefined {
  const wanted = content === undefined ? before?.saved?.sha256 : sha256Of(Buffer.from(content))
  if ((actual && sha256Of(actual.bytes)) === wanted) return undefined
  if (content !== undefined) return { do: 'write', path, bytes: Buffer.from(content), ...(actual ? {} : { mode: 0o644 }) }
  if (before?.saved === undefined) return { do: 'remove', path, directories: before?.directories }
  const { at, mode, uid, gid } = before.saved
  return { do: 'install', path, from: at, mode, uid, gid }
}

/** @throws {AgentError} when what was kept is damaged */
export async function ownFileBefore(
  base: FileBaseline,
  { files, managed }: Pick<HostHands, 'files'> & { readonly managed: Managed },
): Promise<OwnFileSpec> {
  await verifyContent(base, files)
  const directories = directoriesToRemove(base.directories, managed)
  return { path: base.path, before: { ...base, ...(directories && { directories }) } }
}

const derivedUndo = z.object({
  file: fileHands.undo.schema,
  /** Of what was made of the file before. */
  fingerprint: z.string(),
})

/** What is done to such a file, when a program has to make another one of it. */
export function derivedFileHands(derivedOf: (host: HostHands) => DerivedFile) {
  const perform = async (change: FileChange, host: HostHands): Promise<void> => {
    await fileHands.perform(change, host)
    await derivedOf(host).rebuild()
  }
  const undo: UndoOf<FileChange, z.infer<typeof derivedUndo>> = {
    fidelity: 'exact',
    schema: derivedUndo,
    leavesTrace: true,
    kept: ({ file }) => fileHands.undo.kept?.(file) ?? [],
    prepare: async (change, options) => ({
      fingerprint: await derivedOf(options.host).fingerprint(),
      file: await fileHands.undo.prepare(change, options),
    }),
    perform: async ({ file }, host) => {
      await fileHands.undo.perform(file, host)
      await derivedOf(host).rebuild()
    },
    // What was never made of the file needs not be made without it, as where the program is missing.
    isUndone: async ({ file, fingerprint }, host) =>
      (await fileHands.undo.isUndone(file, host)) && (await derivedOf(host).fingerprint()) === fingerprint,
  }
  return { version: 1, perform, undo }
}
