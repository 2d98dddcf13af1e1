import * as z from 'zod/mini'
import { SYSTEM_SECTIONS } from '../../protocol/system-sections.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import { defineKind } from './define-kind.ts'
import { fileBaselines } from './file-baseline.ts'
import type { FileChange } from './file-hands.ts'
import type { HostHands, Kind, Section } from './kind.ts'
import { derivedFileHands, differOwnFile, type OwnFileSpec, ownFileBefore } from './own-file.ts'
import { readRegular } from './regular-file.ts'

/** Read by update-grub after /etc/default/grub, in the order of the names. */
const FILE = SECTION_FILES.kernelArguments
const GRUB = '/etc/default/grub'
/** Red Hat and SUSE have the file, and no such program. */
const UPDATE_GRUB = '/usr/sbin/update-grub'

/** The arguments that are added; none when it is given back. */
type ArgumentsSpec = OwnFileSpec & { readonly words: readonly string[] }

const words = z.readonly(z.array(z.string()))

const section: Section = {
  key: 'kernelArguments',
  schema: SYSTEM_SECTIONS.kernelArguments,
  managed: () => ({ claims: [{ kind: 'kernel-arguments', key: FILE }], triggers: [] }),
  resources: async (list: readonly string[]) => [kernelArguments.of({ path: FILE, content: textOf(list), words: list })],
}

const hands = derivedFileHands(({ bootMenu }) => bootMenu)

/** What the boot loader tells the kernel. It counts after a boot, and so does its undo. */
export const kernelArguments: Kind<ArgumentsSpec> = defineKind({
  name: 'kernel-arguments',
  ...hands,
  section,
  subject: () => FILE,
  observe: async ({ content }: ArgumentsSpec, { files, kernel }) => {
    if (content !== undefined) await requireGrub(files)
    return { file: await readRegular(files, FILE), running: await kernel.commandLine() }
  },
  differ: (spec, { file }): FileChange | undefined => differOwnFile(spec, file),
  awaits: () => 'boot',
  proof: {
    of: (change) => (change.do === 'write' ? wordsIn(Buffer.from(change.bytes).toString()) : []),
    complaint: async (data, { kernel }) => {
      const missing = missingFrom(await kernel.commandLine(), words.parse(data))
      if (missing.length === 0) return undefined
      return `the kernel was started without "${missing.join(' ')}": the boot loader does not use what update-grub writes`
    },
  },
  // Somebody has made the menu again without the file, or another boot loader starts the machine.
  overridden: (spec, { running }) => missingFrom(running, spec.words).map((word) => `/proc/cmdline: ${word}`),
  baseline: {
    ...fileBaselines,
    giveBack: async (base, files, managed) =>
      kernelArguments.of({ ...(await ownFileBefore(base, { files, managed })), words: [] }),
  },
})

function textOf(list: readonly string[]): string {
  return `# Written by nodewave: a change here is overwritten.\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ${list.join(' ')}"\n`
}

function wordsIn(text: string): readonly string[] {
  return /GRUB_CMDLINE_LINUX (.*)"$/m.exec(text)?.[1]?.split(' ') ?? []
}

async function firstMissing(paths: readonly string[], files: HostHands['files']): Promise<string | undefined> {
  for (const path of paths) if ((await files.stat(path)) === undefined) return path
  return undefined
}

async function requireGrub(files: HostHands['files']): Promise<void> {
  const missing = await firstMissing([GRUB, UPDATE_GRUB], files)
  if (missing === undefined) return
  throw new AgentError(
    `set kernel arguments: there is no "${missing}"; only grub with update-grub is supported, as on Debian and Ubuntu`,
    { kind: 'validate', reason: 'BootLoaderUnknown' },
  )
}

function missingFrom(commandLine: string, wanted: readonly string[]): readonly string[] {
  const running = commandLine.trim().split(/\s+/)
  return wanted.filter((word) => !running.includes(word))
}
