import * as z from 'zod/mini'
import { readerOf } from '../../protocol/file-readers.ts'
import { HOST_SECTIONS, type HostLink } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { isUnitPath } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { defineKind } from './define-kind.ts'
import { readersOf } from './file-triggers.ts'
import type { Kind, Section } from './kind.ts'
import { directoriesToRemove, missingParents, removeWithDirectories } from './missing-parents.ts'
import { reading } from './regular-file.ts'

const linkState = z.object({
  path: z.string(),
  /** Missing: there is no link. */
  target: z.optional(z.string()),
  /** That came with the link, the innermost first. They go too, as far as nobody has put anything there. */
  directories: z.optional(z.readonly(z.array(z.string()))),
})
export type LinkSpec = z.infer<typeof linkState>

const section: Section = {
  key: 'links',
  schema: HOST_SECTIONS.links,
  managed: (links: readonly HostLink[]) => ({
    claims: links.map(({ path }) => linkClaim(path)),
    triggers: links.flatMap(({ path }) => readersOf(path)),
  }),
  resources: async (links: readonly HostLink[]) => links.map(({ path, target }) => link.of({ path, target })),
}

/** A symbolic link. What it leads to is nobody's concern, and need not be there. */
export const link: Kind<LinkSpec> = defineKind({
  name: 'link',
  version: 1,
  section,
  subject: ({ path }: LinkSpec) => path,
  observe: ({ path }, { files }) => readLink(files, path),
  differ: (wanted, target): LinkSpec | undefined => (wanted.target === target ? undefined : wanted),
  disruption: ({ path }) => (readerOf(path) === undefined ? 'none' : 'restart'),
  effects: ({ path, target }) => ({
    reload: isUnitPath(path),
    writes: new Map(target === undefined ? [[path, undefined]] : []),
  }),
  perform: async (change, { files }) => {
    await readLink(files, change.path)
    await setLink(change, files)
  },

  undo: {
    fidelity: 'exact',
    schema: linkState,
    leavesTrace: true,
    prepare: ({ path }, { host }) => stateOf(path, { files: host.files }),
    // A file that others have put there meanwhile is kept nowhere.
    perform: async (undo, { files }) => {
      const stat = await files.stat(undo.path)
      if (stat === undefined || stat.type === 'symlink') await setLink(undo, files)
    },
    // Where others have put a file meanwhile, nothing is as it was.
    isUndone: async ({ path, target }, { files }) => {
      const stat = await files.stat(path)
      return stat?.type === 'symlink' ? (await files.readLink(path)) === target : stat === undefined && target === undefined
    },
  },

  // One path is either a file or a link: whoever manages it as both is refused.
  baseline: {
    collection: 'files',
    schema: linkState,
    key: ({ path }) => path,
    directories: ({ directories = [] }) => directories,
    capture: ({ key }, { host, ours }) => stateOf(key, { files: host.files, ours }),
    giveBack: async ({ path, target, directories }, _, managed) =>
      link.of({ path, target, directories: directoriesToRemove(directories, managed) }),
  },
})

export function linkClaim(path: string) {
  return { kind: 'link', key: path }
}

async function stateOf(path: string, about: { readonly files: HostFiles; readonly ours?: readonly string[] }): Promise<LinkSpec> {
  const target = await readLink(about.files, path)
  if (target !== undefined) return { path, target }
  const directories = await missingParents(path, about)
  return { path, ...(directories.length === 0 ? {} : { directories }) }
}

async function setLink({ path, target, directories }: LinkSpec, files: HostFiles): Promise<void> {
  if (target !== undefined) return files.link(path, target)
  await removeWithDirectories({ path, directories }, files)
}

/** @throws {AgentError} when something else is there: a link could not be replaced by it in one step. */
async function readLink(files: HostFiles, path: string): Promise<string | undefined> {
  const stat = await reading(files.stat(path))
  if (stat === undefined || stat.type === 'symlink') return stat && (await reading(files.readLink(path)))
  throw new AgentError(`link "${path}": a ${stat.type} is there; remove it first, or manage it as what it is`, {
    kind: 'validate',
    reason: 'NotALink',
  })
}
