import { Command, InvalidArgumentError, Option } from 'commander'
import type { KubeApi } from '../../kube/kube-api.ts'
import { DEFAULT_NAMESPACE } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from '../cluster.ts'
import { asDocument, type DocumentFormat } from '../documents.ts'
import { outputOption } from '../output/output-option.ts'
import { type AwaitedRecord, type Awaiting, awaitRecords, type WaitOutcome } from './await-records.ts'
import { signatureOf } from './signature.ts'
import { type ControlView, readPools } from './view.ts'
import { waitingOn } from './waiting.ts'
import { type ControlWrite, writeControls } from './write.ts'

/** What a verb is about to do, once it is sure that it makes sense. */
export interface Intent {
  /** One line for people, without who and when. */
  readonly says: string
  /** None: it is so already. */
  readonly writes: readonly ControlWrite[]
  /** What the controller is to say to it. */
  readonly awaits: readonly AwaitedRecord[]
}

export interface VerbFlags extends ClusterFlags {
  readonly asName?: string
  readonly namespace: string
  readonly wait?: true
  /** Milliseconds. */
  readonly timeout: number
  readonly output: 'text' | DocumentFormat
}

/** A command of a person's that steers pools or nodes; what is its own is added by the verb. */
export function verbCommand(name: string): Command {
  return withClusterOptions(new Command(name))
    .option('--as-name <name>', 'your name for the record. Default: the user of the kubeconfig')
    .option('--namespace <name>', "namespace of the fleet's ConfigMap", DEFAULT_NAMESPACE)
    .option('--wait', 'wait until it takes effect; exit code 1 when it does not')
    .addOption(new Option('--timeout <duration>', 'timeout of --wait').argParser(parseDuration).default(600_000, '10m'))
    .addOption(outputOption())
}

/** Looks, judges, writes, tells, and waits when asked to. @throws {Error} when what is asked makes no sense; nothing is written then. */
export async function runVerb(
  io: CliIo,
  flags: VerbFlags,
  intend: (view: ControlView) => Intent | Promise<Intent>,
): Promise<void> {
  const kube = await connectTo(io, flags)
  const pools = await readPools(kube)
  const by = await signatureOf(kube, { asName: flags.asName, now: io.now() })
  const { says, writes, awaits } = await intend({ kube, pools, namespace: flags.namespace, by })
  await writeControls(kube, writes, by)
  const line = writes.length === 0 ? says : `${says} (by ${by.who})`
  if (flags.output === 'text') io.stdout(`${line}\n`)
  const isAwaited = flags.wait && writes.length + awaits.length > 0
  const outcome = isAwaited ? await awaited(io, kube, { awaits, by, timeout: flags.timeout }) : undefined
  if (flags.output !== 'text')
    io.stdout(asDocument({ message: says, ...by, written: writes, ...(outcome && { outcome }) }, flags.output))
  else if (outcome) io.stdout(outcome.messages.map((line) => `${line}\n`).join(''))
  io.exit(outcome?.ok === false ? 1 : 0)
}

async function awaited(io: CliIo, kube: KubeApi, awaiting: Awaiting): Promise<WaitOutcome> {
  using waiting = waitingOn(io, awaiting.timeout)
  return await awaitRecords(kube, { ...awaiting, tell: waiting.tell })
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000 } as const

function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  const milliseconds = Number(count) * UNITS[unit as keyof typeof UNITS]
  if (!(milliseconds > 0)) throw new InvalidArgumentError('expected a duration such as 30s, 10m or 2h')
  return milliseconds
}
