import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import { defineKind } from './define-kind.ts'
import type { HostHands, Kind } from './kind.ts'

const stepSpec = z.object({
  name: z.string(),
  when: z.enum(['before', 'after']),
  command: z.array(z.string()),
  undo: z.optional(z.array(z.string())),
  timeoutSeconds: z.number(),
  /** A file of the transaction: not there before the command is run, then `begun`, then `done`. */
  mark: z.string(),
})
export type StepSpec = z.infer<typeof stepSpec>

/** So much of what a command wrote is reported. */
const LAST_LINES = 3
const LONGEST_REPORT = 500

/**
 * A command of the host's own policy, before or after what a transaction changes. It changes nothing that could be observed: it is done
 * whenever it is part of a plan, and once a transaction.
 */
export const step: Kind<StepSpec> = defineKind({
  name: 'step',
  version: 1,
  subject: ({ when, name }: StepSpec) => `step:${when}:${name}`,
  observe: async () => undefined,
  differ: (spec) => spec,
  perform: async (spec, host) => {
    if (spec.when === 'before') await runOnce(spec, host)
  },
  // When all is restarted and healthy: it may tell others that this host is back.
  proof: {
    reason: 'StepFailed',
    of: (spec): StepSpec => spec,
    complaint: async (data, host) => {
      const spec = stepSpec.parse(data)
      if (spec.when === 'after') await runOnce(spec, host)
      return undefined
    },
  },
  undo: {
    fidelity: 'best effort',
    schema: stepSpec,
    leavesTrace: false,
    afterRestarts: true,
    prepare: async (spec) => spec,
    perform: async ({ mark, undo, ...spec }, host) => {
      if ((await host.files.read(mark)) === undefined) return
      if (undo !== undefined) await run({ ...spec, what: 'undo of step', argv: undo }, host)
      await host.files.remove(mark)
    },
    isUndone: async ({ mark }, { files }) => (await files.read(mark)) === undefined,
  },
  baseline: {
    // It is never claimed: a host has no step before nodewave comes.
    collection: 'steps',
    schema: stepSpec,
    key: ({ name }: StepSpec) => name,
    capture: async ({ key }) => {
      throw new Error(`keep what was before step "${key}": there is nothing to keep`)
    },
    giveBack: async (base) => step.of(base),
  },
})

/** What was begun by an agent that died is run again: nobody knows how far it came. */
async function runOnce({ mark, command, ...spec }: StepSpec, host: HostHands): Promise<void> {
  const { files } = host
  if (Buffer.from((await files.read(mark)) ?? []).toString() === DONE) return
  await files.writeAtomic(mark, Buffer.from('begun'), { mode: 0o600 })
  await run({ ...spec, what: 'step', argv: command }, host)
  await files.writeAtomic(mark, Buffer.from(DONE), { mode: 0o600 })
}

const DONE = 'done'

interface Run extends Pick<StepSpec, 'name' | 'timeoutSeconds'> {
  readonly what: string
  readonly argv: readonly string[]
}

async function run({ what, name, argv, timeoutSeconds }: Run, { steps }: HostHands): Promise<void> {
  const { code, timedOut, output } = await steps.run(argv, { timeoutSeconds })
  if (code === 0 && !timedOut) return
  const how = timedOut ? `it took longer than ${timeoutSeconds} s` : code === -1 ? 'a signal ended it' : `exit ${code}`
  const words = lastLines(output)
  // Without the arguments: who may read Nodes need not read the policy.
  throw new AgentError(`${what} "${name}" (${argv[0]}): ${how}${words === '' ? '' : `: ${words}`}`, {
    kind: 'validate',
    reason: 'StepFailed',
  })
}

function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(-LAST_LINES).join(' | ').slice(-LONGEST_REPORT)
}
