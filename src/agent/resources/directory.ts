import * as z from 'zod/mini'
import { directoryRefusal } from '../../protocol/directory-rules.ts'
import { HOST_SECTIONS, type HostDirectory } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import type { HostFiles, WriteOptions } from '../ports.ts'
import { resolveOwner } from './accounts.ts'
import { defineKind } from './define-kind.ts'
import { hasOwnership, ownership } from './file-hands.ts'
import type { Kind, Section } from './kind.ts'
import { directoriesToRemove, missingParents } from './missing-parents.ts'
import { reading } from './regular-file.ts'

const attributes = z.object({ mode: z.number(), uid: z.number(), gid: z.number() })

const directoryState = z.object({
  path: z.string(),
  /** Missing: there is no such directory. */
  saved: z.optional(attributes),
  /** Above it, that came with it, the innermost first. */
  directories: z.optional(z.readonly(z.array(z.string()))),
})
type DirectoryState = z.infer<typeof directoryState>

export interface DirectorySpec extends WriteOptions {
  readonly path: string
  /** It should not be there, nor what came with it: whatever of it is empty goes. */
  readonly isGone?: boolean
  readonly directories?: readonly string[] | undefined
}

const section: Section = {
  key: 'directories',
  schema: HOST_SECTIONS.directories,
  managed: (specs: readonly HostDirectory[]) => {
    for (const spec of specs) refuseHarmful(spec)
    return { claims: specs.map(({ path }) => ({ kind: 'directory', key: path })), triggers: [] }
  },
  resources: (specs: readonly HostDirectory[], files) =>
    Promise.all(
      specs.map(async ({ path, mode, ...owners }) =>
        directory.of({
          path,
          ...(mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }),
          ...(await resolveOwner(files, owners)),
        }),
      ),
    ),
}

/** A directory with its mode and owner. Never taken away with anything in it, nor when it was there before nodewave. */
export const directory: Kind<DirectorySpec> = defineKind({
  name: 'directory',
  version: 1,
  section,
  subject: ({ path }: DirectorySpec) => path,
  observe: async ({ path }, { files }) => attributesOf(path, files),
  differ: (wanted, actual): DirectorySpec | undefined => {
    if (wanted.isGone) return actual && wanted
    return actual !== undefined && hasOwnership(actual, wanted) ? undefined : wanted
  },
  // Before what is in it, and the outer one first; taken away the other way round.
  order: ({ path, isGone }) => (isGone ? 1 - depthOf(path) : depthOf(path) - 1),
  perform: (change, { files }) =>
    change.isGone ? removeEmpty(change, files) : files.makeDirectory(change.path, ownership(change)),

  undo: {
    fidelity: 'exact',
    schema: directoryState,
    leavesTrace: true,
    prepare: ({ path }, { host }) => stateOf(path, { files: host.files }),
    perform: async (undo, { files }) =>
      undo.saved === undefined ? removeEmpty(undo, files) : files.makeDirectory(undo.path, undo.saved),
    isUndone: async ({ path, saved }, { files }) => {
      const stat = await files.stat(path)
      if (stat === undefined || saved === undefined) return stat === undefined && saved === undefined
      return stat.type === 'directory' && hasOwnership(stat, saved)
    },
  },

  baseline: {
    collection: 'directories',
    schema: directoryState,
    key: ({ path }) => path,
    directories: ({ path, saved, directories = [] }) => (saved === undefined ? [path, ...directories] : []),
    capture: ({ key }, { host, ours }) => stateOf(key, { files: host.files, ours }),
    giveBack: async ({ path, saved, directories }, _, managed) =>
      saved === undefined
        ? directory.of({ path, isGone: true, directories: directoriesToRemove(directories, managed) })
        : directory.of({ path, ...saved }),
  },
})

async function stateOf(
  path: string,
  about: { readonly files: HostFiles; readonly ours?: readonly string[] },
): Promise<DirectoryState> {
  const saved = about.ours?.includes(path) ? undefined : await attributesOf(path, about.files)
  if (saved !== undefined) return { path, saved }
  const directories = await missingParents(path, about)
  return { path, ...(directories.length === 0 ? {} : { directories }) }
}

async function removeEmpty(
  { path, directories = [] }: { readonly path: string; readonly directories?: readonly string[] | undefined },
  files: HostFiles,
): Promise<void> {
  for (const each of [path, ...directories]) await files.removeEmpty(each)
}

/** @throws {AgentError} for what the agent itself could not take back */
function refuseHarmful(spec: HostDirectory): void {
  const refusal = directoryRefusal(spec)
  if (refusal === undefined) return
  throw new AgentError(`make the directory "${spec.path}": ${refusal.because}; ${refusal.remedy}`, {
    kind: 'validate',
    reason: 'PathNotAllowed',
  })
}

/** @throws {AgentError} when something else is there */
async function attributesOf(path: string, files: HostFiles): Promise<z.infer<typeof attributes> | undefined> {
  const stat = await reading(files.stat(path))
  if (stat === undefined) return undefined
  if (stat.type === 'directory') return { mode: stat.mode, uid: stat.uid, gid: stat.gid }
  throw new AgentError(`make the directory "${path}": a ${stat.type} is there; remove it first, or name another path`, {
    kind: 'validate',
    reason: 'NotADirectory',
  })
}

/** Between 0 and 1: all directories come before files, or after them. */
function depthOf(path: string): number {
  return path.split('/').length / 10_000
}
