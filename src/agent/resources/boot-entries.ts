import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import { commandLineWith, entryWith, isKernelEntry, ownWords } from './boot-entry-text.ts'
import { defineKind } from './define-kind.ts'
import type { Kind } from './kind.ts'
import { readRegular } from './regular-file.ts'

/** Where entries of the Boot Loader Specification are: those of grub on Red Hat's, and those of systemd-boot. */
const DIRECTORIES = ['/boot/loader/entries', '/efi/loader/entries', '/boot/efi/loader/entries']
/** What entries of kernels that are installed later are made of. */
const COMMAND_LINE = '/etc/kernel/cmdline'
/** The key of its claim, wherever the entries are. */
export const BOOT_ENTRIES = '/boot/loader/entries'

const words = z.readonly(z.array(z.string()))
const schema = z.object({ files: z.readonly(z.array(z.object({ path: z.string(), words }))) })
/** Our words by file. */
type EntryWords = z.infer<typeof schema>

export interface BootEntriesSpec {
  readonly words: readonly string[]
}

interface BootFile {
  readonly path: string
  readonly text: string
}

/** Arguments of the kernel, where the boot loader reads them from entries: nothing is made of these, so they count at the next boot. */
export const bootEntries: Kind<BootEntriesSpec> = defineKind({
  // Its first part is the word of drift policies.
  name: 'kernelArguments-entries',
  version: 1,
  subject: () => BOOT_ENTRIES,
  observe: async (_: BootEntriesSpec, { files, kernel }) => ({
    files: await bootFiles(files),
    running: await kernel.commandLine(),
  }),
  differ: (spec, { files, running }) => {
    const paths = files.filter((file) => withWords(file, spec.words) !== file.text).map(({ path }) => path)
    if (paths.length === 0) return undefined
    // An entry that came with another kernel needs no boot of this one.
    return { paths, words: spec.words, boots: ownWords(running).join(' ') !== spec.words.join(' ') }
  },
  awaits: ({ boots }) => (boots ? 'boot' : undefined),
  perform: async ({ words: wanted }, { files }) => {
    for (const file of await bootFiles(files)) await write(file, { words: wanted, files })
  },
  proof: {
    of: ({ words: wanted }) => wanted,
    complaint: async (data, { kernel }) => {
      const missing = missingFrom(await kernel.commandLine(), words.parse(data))
      if (missing.length === 0) return undefined
      return `the kernel was started without "${missing.join(' ')}": the boot loader does not use the entries below ${DIRECTORIES.join(' or ')}`
    },
  },
  overridden: (spec, { running }) => missingFrom(running, spec.words).map((word) => `/proc/cmdline: ${word}`),
  undo: {
    fidelity: 'exact',
    schema,
    leavesTrace: true,
    prepare: async ({ paths }, { host }) => {
      const changing = (await bootFiles(host.files)).filter(({ path }) => paths.includes(path))
      return { files: changing.map(({ path, text }) => ({ path, words: ownWords(text) })) }
    },
    perform: async (undo, { files }) => {
      for (const file of await bootFiles(files)) await write(file, { words: before(undo, file), files })
    },
    isUndone: async (undo, { files }) =>
      (await bootFiles(files)).every((file) => withWords(file, before(undo, file)) === file.text),
  },
  baseline: {
    collection: 'bootEntries',
    schema: z.object({ entries: z.string() }),
    key: ({ entries }) => entries,
    // What is ours is marked: the rest is theirs.
    capture: async ({ key }) => ({ entries: key }),
    giveBack: async () => bootEntries.of({ words: [] }),
  },
})

/** Whether the machine is started by such entries. @throws {AgentError} when it has some, and something else is made of them */
export async function hasBootEntries(files: HostFiles): Promise<boolean> {
  if ((await entriesIn(files)).length === 0) return false
  if (/^GRUB_ENABLE_BLSCFG=["']?false/m.test(await textOf('/etc/default/grub', files)))
    throw unusable('"/etc/default/grub" says GRUB_ENABLE_BLSCFG=false, so grub does not read them; set it to true')
  if ((await files.stat('/etc/zipl.conf')) !== undefined) throw unusable('zipl copies them, and is not supported')
  return true
}

function unusable(why: string): AgentError {
  return new AgentError(`set kernel arguments in the entries of the boot loader: ${why}`, {
    kind: 'validate',
    reason: 'BootLoaderUnknown',
  })
}

function missingFrom(commandLine: string, wanted: readonly string[]): readonly string[] {
  const running = commandLine.trim().split(/\s+/)
  return wanted.filter((word) => !running.includes(word))
}

/** One whose name has changed since, as systemd-boot counts its starts there, had what the others had. */
function before({ files: [first, ...others] }: EntryWords, { path }: BootFile): readonly string[] {
  return [first, ...others].find((file) => file?.path === path)?.words ?? first?.words ?? []
}

function withWords({ path, text }: BootFile, wanted: readonly string[]): string {
  return path === COMMAND_LINE ? commandLineWith(text, wanted) : entryWith(text, wanted)
}

async function write(
  file: BootFile,
  { words: wanted, files }: { readonly words: readonly string[]; readonly files: HostFiles },
): Promise<void> {
  const text = withWords(file, wanted)
  if (text !== file.text) await files.writeAtomic(file.path, Buffer.from(text, 'latin1'))
}

async function bootFiles(files: HostFiles): Promise<BootFile[]> {
  const entries = await entriesIn(files)
  const text = await textOf(COMMAND_LINE, files)
  return entries.length === 0 || text === '' ? entries : [...entries, { path: COMMAND_LINE, text }]
}

async function entriesIn(files: HostFiles): Promise<BootFile[]> {
  const found: BootFile[] = []
  for (const directory of DIRECTORIES)
    for (const name of await files.list(directory)) {
      const path = `${directory}/${name}`
      const text = name.endsWith('.conf') ? await textOf(path, files) : ''
      if (isKernelEntry(name, text)) found.push({ path, text })
    }
  return found
}

/** Byte by byte: what is not ours stays as it is. */
async function textOf(path: string, files: HostFiles): Promise<string> {
  return Buffer.from((await readRegular(files, path))?.bytes ?? []).toString('latin1')
}
