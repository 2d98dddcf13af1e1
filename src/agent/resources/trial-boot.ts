import * as z from 'zod/mini'
import { packageSubject } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import { defineKind } from './define-kind.ts'
import { defaultEntry, FORMER_ENTRY, FORMER_MARK, formerEntryScript } from './grub-menu.ts'
import { isStartedByEntries } from './kernel-arguments.ts'
import type { HostHands, Kind } from './kind.ts'

/** Behind the scripts of the distribution: entries that are chosen by their number keep it. */
const SCRIPT = '/etc/grub.d/45_nodewave-former'
const MENU = '/boot/grub/grub.cfg'
const ENVIRONMENT = '/boot/grub/grubenv'
const PROGRAMS = ['/usr/sbin/update-grub', '/usr/sbin/grub-reboot']

/** How a change that counts after a boot is tried once: without more orders the machine starts as before. */
const trialBootSpec = z.discriminatedUnion('when', [
  z.object({
    when: z.literal('before'),
    script: z.string(),
    /** By which grub starts what is new. */
    entry: z.string(),
  }),
  z.object({ when: z.literal('after') }),
])
export type TrialBootSpec = z.infer<typeof trialBootSpec>

const nothing = z.object({})

/** It changes nothing that should stay: it is done whenever it is part of a plan, and ends with the transaction, well or not. */
export const trialBoot: Kind<TrialBootSpec> = defineKind({
  name: 'trial-boot',
  version: 1,
  subject: ({ when }: TrialBootSpec) => `trial-boot:${when}`,
  observe: async () => undefined,
  differ: (spec) => spec,
  perform: async (spec, { files, bootMenu }) => {
    if (spec.when === 'after') return
    await files.writeAtomic(SCRIPT, Buffer.from(spec.script), { mode: 0o755, uid: 0, gid: 0 })
    await bootMenu.rebuild()
    await bootMenu.startOnce(spec.entry)
  },
  proof: {
    reason: 'TrialBootFailed',
    of: ({ when }) => when,
    complaint: async (when, host) => {
      const words = (await host.kernel.commandLine()).split(/\s+/)
      if (words.includes(FORMER_MARK))
        return 'the machine did not come up with the change, or lost its power before it had proved itself, and was started as before; see journalctl -b -1'
      if (when === 'after') await end(host)
      return undefined
    },
  },
  undo: {
    fidelity: 'exact',
    schema: nothing,
    // It ends in the proof, too.
    leavesTrace: false,
    prepare: async () => ({}),
    perform: (_, host) => end(host),
    isUndone: async (_, { files }) => !(await isUnderWay(files)),
  },
  baseline: {
    // It is never claimed.
    collection: 'trialBoots',
    schema: nothing,
    key: () => SCRIPT,
    capture: async () => {
      throw new Error('keep what was before a trial boot: there is nothing to keep')
    },
    giveBack: async () => trialBoot.of({ when: 'after' }),
  },
})

/** What is done before and after the changes; or why this host cannot start something once. */
type TrialBootPlan = { readonly specs: readonly TrialBootSpec[] } | { readonly why: string }

/** @param subjects of what the plan changes */
export async function planTrialBoot(
  subjects: readonly string[],
  { files, kernel, packages }: Pick<HostHands, 'files' | 'kernel' | 'packages'>,
): Promise<TrialBootPlan> {
  try {
    const lost = await kernelPackageAmong(subjects, { kernel, packages })
    if (lost !== undefined) return { why: `it changes the package "${lost}" of the kernel that runs` }
    if (await isStartedByEntries(files)) return { why: 'the boot loader reads entries' }
    for (const path of PROGRAMS) if ((await files.stat(path)) === undefined) return { why: `there is no "${path}"` }
    const [menu, environment] = [await textOf(MENU, files), await textOf(ENVIRONMENT, files)]
    const script = formerEntryScript(menu, await kernel.commandLine())
    if (script === undefined) return { why: `"${MENU}" has no entry for the kernel and arguments that run now` }
    return { specs: [{ when: 'before', script, entry: defaultEntry(menu, environment) }, { when: 'after' }] }
  } catch (error) {
    // A loader of another kind, or a path that others may change: the change itself says so where it matters.
    if (error instanceof AgentError) return { why: error.message }
    throw error
  }
}

/** What is installed in its place, or removed, takes the kernel away that the machine would start as before. */
async function kernelPackageAmong(
  subjects: readonly string[],
  { kernel, packages }: Pick<HostHands, 'kernel' | 'packages'>,
): Promise<string | undefined> {
  const names = subjects.flatMap((subject) => (subject.startsWith(PACKAGE) ? [subject.slice(PACKAGE.length)] : []))
  const images = names.length === 0 ? [] : await kernelImages(kernel)
  for (const name of names) if ((await packages.files(name)).some((path) => images.includes(path))) return name
  return undefined
}

const PACKAGE = packageSubject('')

async function kernelImages(kernel: HostHands['kernel']): Promise<readonly string[]> {
  const release = await kernel.release()
  return [`/boot/vmlinuz-${release}`, `/lib/modules/${release}/vmlinuz`, `/usr/lib/modules/${release}/vmlinuz`]
}

/** In this order: an agent that dies in between finds it under way, until the menu is made without it. */
async function end({ files, bootMenu }: HostHands): Promise<void> {
  if (!(await isUnderWay(files))) return
  await bootMenu.startOnce(undefined)
  await files.remove(SCRIPT)
  await bootMenu.rebuild()
}

async function isUnderWay(files: HostFiles): Promise<boolean> {
  return (await files.stat(SCRIPT)) !== undefined || (await textOf(MENU, files)).includes(`'${FORMER_ENTRY}'`)
}

async function textOf(path: string, files: HostFiles): Promise<string> {
  return Buffer.from((await files.read(path)) ?? []).toString()
}
