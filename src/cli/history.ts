import { Command, Option } from 'commander'
import { DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { nodeHistoryLines, nodeRuns } from './history/node-history.ts'
import { poolHistoryLines, poolRuns } from './history/pool-history.ts'
import { outputOption } from './output/output-option.ts'
import { subjectNamed } from './subject.ts'

interface Flags extends ClusterFlags {
  readonly output: 'text' | DocumentFormat
  readonly annotationPrefix: string
}

export function historyCommand(io: CliIo): Command {
  return withClusterOptions(new Command('history'))
    .description('list the last rollouts of a pool, with results and operator actions; or the last assignments of a node')
    .argument('<pool|node>', 'name; pool/NAME or node/NAME when a pool and a node have the same name')
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(outputOption())
    .addHelpText('after', '\nTimes are UTC.\n\nExample:\n  $ nodewave history workers\n  $ nodewave history worker-3 -o json')
    .action((name: string, flags: Flags) => runHistory(io, name, flags))
}

async function runHistory(io: CliIo, name: string, flags: Flags): Promise<void> {
  const subject = await subjectNamed(await connectTo(io, flags), name)
  if (subject.kind === 'pool') {
    const runs = poolRuns(subject.pool.status, io.now())
    return io.stdout(
      flags.output === 'text' ? text(poolHistoryLines(runs, io)) : asDocument({ pool: subject.pool.name, runs }, flags.output),
    )
  }
  const { annotations = {}, name: node } = subject.node.metadata
  const runs = nodeRuns(annotations, namesFor(flags.annotationPrefix))
  io.stdout(flags.output === 'text' ? text(nodeHistoryLines(runs)) : asDocument({ node, runs }, flags.output))
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
