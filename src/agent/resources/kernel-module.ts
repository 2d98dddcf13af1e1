import * as z from 'zod/mini'
import { KERNEL_SECTIONS, moduleName } from '../../protocol/kernel-sections.ts'
import { moduleSubject, SECTION_FILES } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import type { Kernel } from '../kernel.ts'
import { defineKind } from './define-kind.ts'
import { file, fileClaim } from './file.ts'
import type { Kind, Section } from './kind.ts'

const MODULES_FILE = SECTION_FILES.kernelModules

/** One that is built into the kernel counts as loaded. */
const moduleState = z.object({ name: z.string(), isLoaded: z.boolean() })
type ModuleState = z.infer<typeof moduleState>

const section: Section = {
  key: 'kernelModules',
  schema: KERNEL_SECTIONS.kernelModules,
  managed: (modules: readonly string[]) => ({
    claims: [...modules.map((name) => ({ kind: 'kernel-module', key: moduleSubject(name) })), fileClaim(MODULES_FILE)],
    triggers: [],
  }),
  resources: async (modules: readonly string[]) => [
    ...modules.map((name) => kernelModule.of({ name: moduleName(name), isLoaded: true })),
    file.of({ path: MODULES_FILE, content: { bytes: Buffer.from(textOf(modules)) } }),
  ],
}

/** A module of the running kernel; what is loaded at boot is the affair of the file. */
export const kernelModule: Kind<ModuleState> = defineKind({
  name: 'kernel-module',
  version: 1,
  section,
  subject: ({ name }: ModuleState) => moduleSubject(name),
  observe: ({ name }, { kernel }) => kernel.hasModule(name),
  differ: (wanted, isLoaded): ModuleState | undefined => (wanted.isLoaded === isLoaded ? undefined : wanted),

  // It may change what happens to every packet, or file, from then on.
  disruption: () => 'restart',
  repairDisruption: () => 'none',
  // Before the settings that it brings; and it goes after them.
  order: ({ isLoaded }) => (isLoaded ? -1 : 1),
  perform: ({ name, isLoaded }, { kernel }) => (isLoaded ? load(name, kernel) : unload(name, kernel)),

  undo: {
    fidelity: 'best effort',
    schema: moduleState,
    // A boot loads what it loads.
    leavesTrace: false,
    prepare: async ({ name }, { host }) => stateOf(name, host.kernel),
    perform: async ({ name, isLoaded }, { kernel }) => {
      if ((await kernel.hasModule(name)) !== isLoaded) await (isLoaded ? load(name, kernel) : unload(name, kernel))
    },
    isUndone: async ({ name, isLoaded }, { kernel }) => (await kernel.hasModule(name)) === isLoaded,
  },

  baseline: {
    collection: 'kernelModules',
    schema: moduleState,
    key: ({ name }) => moduleSubject(name),
    capture: ({ key }, { host }) => stateOf(key.slice(moduleSubject('').length), host.kernel),
    giveBack: async (base) => kernelModule.of(base),
  },
})

function textOf(modules: readonly string[]): string {
  return `# Written by nodewave: a change here is overwritten.\n${modules.map((name) => `${moduleName(name)}\n`).join('')}`
}

async function stateOf(name: string, kernel: Kernel): Promise<ModuleState> {
  return { name, isLoaded: await kernel.hasModule(name) }
}

async function load(name: string, kernel: Kernel): Promise<void> {
  const release = await kernel.release()
  await kernel.loadModule(name).catch((cause: unknown) => {
    throw notLoaded(
      `load "${name}" into kernel ${release}: ${(cause as Error).message}; correct the name, or install the modules of this kernel`,
      cause,
    )
  })
  if (await kernel.hasModule(name)) return
  throw notLoaded(
    `load "${name}" into kernel ${release}: no module of that name is there afterwards; "modprobe --resolve-alias" names it`,
  )
}

/** One that is in use stays until the next boot: nobody needs it gone. */
async function unload(name: string, kernel: Kernel): Promise<void> {
  await kernel.unloadModule(name).catch(() => {})
}

function notLoaded(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { kind: 'validate', reason: 'ModuleNotLoaded', cause })
}
