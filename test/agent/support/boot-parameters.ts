import * as z from 'zod/mini'
import { defineKind } from '../../../src/agent/resources/define-kind.ts'
import type { Awaited, HostHands, Kind } from '../../../src/agent/resources/kind.ts'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import type { MemoryFiles } from '../../../src/sim/host/memory-files.ts'
import { Machine, type MachineOptions } from './machine.ts'

export const BOOT_PARAMETERS = '/etc/default/grub'
export const RUNNING = '/proc/cmdline'
const parameters = z.object({ text: z.nullable(z.string()) })
type Parameters = z.infer<typeof parameters>

/** A kind whose changes count after the machine has started again, or under another agent. */
function bootParameters(awaits: Awaited): Kind<Parameters> {
  const kind: Kind<Parameters> = defineKind({
    name: 'boot-parameters',
    version: 1,
    subject: () => BOOT_PARAMETERS,
    observe: (_, host) => textOf(BOOT_PARAMETERS, host),
    differ: (wanted: Parameters, actual) => (wanted.text === actual ? undefined : wanted),
    perform: write,
    awaits: () => awaits,
    proof: {
      of: ({ text }) => text,
      complaint: async (text, host) => {
        const running = await textOf(RUNNING, host)
        return running === text ? undefined : `the machine runs with "${running}", not with "${text}"`
      },
    },
    undo: {
      fidelity: 'best effort',
      schema: parameters,
      leavesTrace: true,
      prepare: async (_, { host }) => ({ text: await textOf(BOOT_PARAMETERS, host) }),
      perform: write,
      isUndone: async ({ text }, host) => (await textOf(BOOT_PARAMETERS, host)) === text,
    },
    baseline: {
      collection: 'bootParameters',
      schema: parameters,
      key: () => BOOT_PARAMETERS,
      capture: async (_, { host }) => ({ text: await textOf(BOOT_PARAMETERS, host) }),
      giveBack: async (base) => kind.of(base),
    },
    section: {
      key: 'bootParameters',
      schema: z.string(),
      managed: () => ({ claims: [{ kind: 'boot-parameters', key: BOOT_PARAMETERS }], triggers: [] }),
      resources: async (text: string) => [kind.of({ text })],
    },
  })
  return kind
}

async function textOf(path: string, { files }: Pick<HostHands, 'files'>): Promise<string | null> {
  const bytes = await files.read(path)
  return bytes === undefined ? null : Buffer.from(bytes).toString()
}

async function write({ text }: Parameters, { files }: HostHands): Promise<void> {
  if (text === null) return files.remove(BOOT_PARAMETERS)
  await files.writeAtomic(BOOT_PARAMETERS, Buffer.from(text))
}

/** A machine whose kernel has such parameters. */
export function machineWithBootParameters({
  awaits = 'boot',
  version = '1.0.0',
  ...options
}: MachineOptions & { readonly awaits?: Awaited; readonly version?: string } = {}): Machine {
  const kinds = new Kinds([...ALL_KINDS, bootParameters(awaits)])
  const machine = new Machine({ kinds, agent: { version }, atBoot: readBootParameters, ...options })
  machine.host.files.put(BOOT_PARAMETERS, 'quiet')
  machine.host.files.put(RUNNING, 'quiet')
  return machine
}

function readBootParameters(files: MemoryFiles): void {
  files.put(RUNNING, files.text(BOOT_PARAMETERS) ?? '')
}

/** What the kind manages, beside a flag of the kubelet. */
export function withBootParameters(text: string): { readonly host: string; readonly flags: string } {
  return { host: JSON.stringify({ bootParameters: text }), flags: '--v=3' }
}
