import { type Command, Option } from 'commander'
import { DEFAULT_PREFIX, namesFor } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { counted, nameList } from '../paint.ts'
import type { AwaitedRecord } from './await-records.ts'
import { type HoldableNode, nodesNamed } from './nodes.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import type { ControlView } from './view.ts'

interface Flags extends VerbFlags {
  readonly annotationPrefix: string
  readonly reason: string
}

export function holdCommand(io: CliIo): Command {
  return verbCommand('hold')
    .description('exclude nodes from every rollout; they keep their configuration and count in their pools')
    .argument('<nodes...>')
    .requiredOption('--reason <text>', 'reason shown in the status; required')
    .addOption(prefixOption())
    .addHelpText('after', '\nExample:\n  $ nodewave hold worker-3 worker-7 --reason "memory is being replaced"')
    .action((names: readonly string[], flags: Flags) => runVerb(io, flags, (view) => intend(view, names, flags)))
}

export function prefixOption(): Option {
  return new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX)
}

async function intend({ kube }: ControlView, names: readonly string[], { annotationPrefix, reason }: Flags): Promise<Intent> {
  const { hold } = namesFor(annotationPrefix)
  const nodes = await nodesNamed(kube, { names, prefix: annotationPrefix })
  const news = nodes.filter((node) => node.hold !== reason)
  if (news.length === 0) return { says: `already held: ${nameList(nodes.map(({ name }) => name))}`, writes: [], awaits: [] }
  const loose = news.filter(({ pool }) => pool === undefined).map(({ name }) => name)
  const none = loose.length === 0 ? '' : `; not in any pool yet: ${nameList(loose)}`
  return {
    says: `${counted(news.length, 'node')} held: ${nameList(news.map(({ name }) => name))}; ${reason}${none}`,
    writes: news.map(({ name }) => ({ on: { kind: 'Node', name }, annotation: hold, value: reason })),
    awaits: awaitsOf(news, 'Hold'),
  }
}

/** Each pool records its own nodes. */
export function awaitsOf(nodes: readonly HoldableNode[], action: 'Hold' | 'Release'): AwaitedRecord[] {
  const byPool = Map.groupBy(nodes, ({ pool }) => pool)
  return [...byPool].flatMap(([pool, members]) =>
    pool === undefined ? [] : [{ pool, action, nodes: members.map(({ name }) => name) }],
  )
}
