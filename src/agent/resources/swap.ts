import * as z from 'zod/mini'
import { KERNEL_SECTIONS } from '../../protocol/kernel-sections.ts'
import { SECTION_FILES, SWAPS } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import type { Kernel, Swap } from '../kernel.ts'
import type { ServiceManagerName } from '../service-managers.ts'
import { defineKind } from './define-kind.ts'
import { file, fileClaim } from './file.ts'
import { FSTAB, fstabSwap } from './fstab-swap.ts'
import type { HostHands, Kind, Section } from './kind.ts'

/** Read for every swap unit, also for those that generators make of partitions and of zram. */
const DROP_IN = SECTION_FILES.swapDropIn
const NO_UNIT = `# Written by nodewave: no swap unit starts as long as this file is here.\n[Unit]\nConditionPathExists=!${DROP_IN}\n`

const swaps = z.object({ swaps: z.readonly(z.array(z.object({ path: z.string(), priority: z.number() }))) })
/** What is swapped to; none: swap is off. */
type Swaps = z.infer<typeof swaps>

const section: Section = {
  key: 'swap',
  schema: KERNEL_SECTIONS.swap,
  managed: (_, { manager }) => ({
    claims: [
      { kind: 'swap', key: SWAPS },
      { kind: 'swap-fstab', key: FSTAB },
      ...(hasUnits(manager) ? [fileClaim(DROP_IN)] : []),
    ],
    triggers: [],
  }),
  resources: async (_, _files, { manager }) => [
    ...(hasUnits(manager) ? [file.of({ path: DROP_IN, content: { bytes: Buffer.from(NO_UNIT) } })] : []),
    fstabSwap.of({ isOff: true }),
    swap.of({ swaps: [] }),
  ],
}

/** Elsewhere a machine swaps to what fstab says, and to what its own scripts do. */
function hasUnits(manager: ServiceManagerName): boolean {
  return manager === 'systemd'
}

/** Swap of the running kernel; what is swapped to after a boot is the affair of the files. */
export const swap: Kind<Swaps> = defineKind({
  name: 'swap',
  version: 1,
  section,
  subject: (_: Swaps) => SWAPS,
  observe: (_, { kernel }) => kernel.swaps(),
  differ: (wanted, actual): Swaps | undefined => (isWanted(wanted, actual) ? undefined : wanted),

  // What was swapped out needs its memory again.
  disruption: () => 'restart',
  repairDisruption: () => 'none',
  // Before the files: cut off between them, the machine would boot without swap, and no journal would know of any.
  order: () => -1,
  perform: ({ swaps: wanted }, host) => (wanted.length === 0 ? switchOff(host.kernel) : switchOn(wanted, host)),
  proof: {
    of: (change) => change,
    complaint: async (data, { kernel }) => {
      const actual = await kernel.swaps()
      if (actual.length === 0 || swaps.parse(data).swaps.length > 0) return undefined
      return `swap is on again: ${actual.map(({ path }) => path).join(', ')}; something else on the host switches it on`
    },
  },

  undo: {
    fidelity: 'exact',
    schema: swaps,
    // A boot may swap on.
    leavesTrace: false,
    prepare: async (_, { host }) => ({ swaps: await host.kernel.swaps() }),
    perform: ({ swaps: before }, host) => switchOn(before, host),
    isUndone: async (before, { kernel }) => missingFrom(await kernel.swaps(), before.swaps).length === 0,
  },

  baseline: {
    collection: 'swap',
    schema: swaps,
    key: () => SWAPS,
    capture: async (_, { host }) => ({ swaps: await host.kernel.swaps() }),
    giveBack: async (base) => swap.of(base),
  },
})

/** Given back, others may have swapped to more. */
function isWanted({ swaps: wanted }: Swaps, actual: readonly Swap[]): boolean {
  return wanted.length === 0 ? actual.length === 0 : missingFrom(actual, wanted).length === 0
}

function missingFrom(actual: readonly Swap[], wanted: readonly Swap[]): readonly Swap[] {
  return wanted.filter(({ path }) => !actual.some((other) => other.path === path))
}

async function switchOff(kernel: Kernel): Promise<void> {
  for (const { path } of await kernel.swaps())
    await kernel.swapOff(path).catch((cause: unknown) => {
      throw new AgentError(
        `switch swap off: ${(cause as Error).message}; drain the node if its memory does not hold what was swapped out`,
        {
          kind: 'validate',
          reason: 'SwapNotOff',
          cause,
        },
      )
    })
}

/** A swap file that somebody has removed since is nobody's swap any more. What is a device shows only when it is tried. */
async function switchOn(wanted: readonly Swap[], { kernel, files }: HostHands): Promise<void> {
  for (const found of missingFrom(await kernel.swaps(), wanted))
    if (found.path.startsWith('/dev/') || (await files.stat(found.path)) !== undefined) await kernel.swapOn(found)
}
