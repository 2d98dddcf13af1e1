import * as z from 'zod/mini'
import { SYSTEM_SECTIONS } from '../../protocol/system-sections.ts'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import { BOOT_ENTRIES, bootEntries, hasBootEntries } from './boot-entries.ts'
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
/** The firmware keeps who started the machine; grub writes nothing there. */
const LOADER_INFO = '/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f'

/** The arguments that are added; none when it is given back. */
type ArgumentsSpec = OwnFileSpec & { readonly words: readonly string[] }

const words = z.readonly(z.array(z.string()))

const section: Section = {
  key: 'kernelArguments',
  schema: SYSTEM_SECTIONS.kernelArguments,
  // Of both: which of them the host has is known only when it is looked at, and the other has nothing to give back.
  managed: () => ({
    claims: [
      { kind: 'kernel-arguments', key: FILE },
      { kind: 'kernelArguments-entries', key: BOOT_ENTRIES },
    ],
    triggers: [],
  }),
  resources: async (list: readonly string[], files) =>
    (await isStartedByEntries(files))
      ? [bootEntries.of({ words: list })]
      : [kernelArguments.of({ path: FILE, content: grubSettings(list), words: list })],
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

/** grub with update-grub makes its menu of other files, also where entries of another loader are left. */
export async function isStartedByEntries(files: HostHands['files']): Promise<boolean> {
  const loader = Buffer.from((await files.read(LOADER_INFO).catch(() => undefined)) ?? []).toString('utf16le')
  const hasGrub = (await firstMissing([GRUB, UPDATE_GRUB], files)) === undefined
  return (loader.includes('systemd-boot') || !hasGrub) && (await hasBootEntries(files))
}

/** Pure: what update-grub reads behind the settings of the host. */
export function grubSettings(list: readonly string[]): string {
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
    `set kernel arguments: there is no "${missing}", and no entry below "${BOOT_ENTRIES}"; supported are grub with update-grub, as on Debian and Ubuntu, and loaders that read such entries`,
    { kind: 'validate', reason: 'BootLoaderUnknown' },
  )
}

function missingFrom(commandLine: string, wanted: readonly string[]): readonly string[] {
  const running = commandLine.trim().split(/\s+/)
  return wanted.filter((word) => !running.includes(word))
}
