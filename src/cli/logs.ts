import { Command, Option } from 'commander'
import { type KubeApi, KubeError } from '../kube/kube-api.ts'
import { DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { errorText } from './error-text.ts'
import { entryOfEvent, type LogEntry, logEntries } from './logs/log-entries.ts'
import { outputOption } from './output/output-option.ts'
import { foldAt, folded } from './paint.ts'
import { subjectNamed } from './subject.ts'

interface Flags extends ClusterFlags {
  readonly annotationPrefix: string
  readonly output: 'text' | DocumentFormat
}

const HELP = `
The agent, the kubelet and the controller report to the API server: annotations,
conditions and events of the Node. Nothing is read from the host: the cluster keeps
the last report of the agent, and events for about an hour. Times are UTC.

Example:
  $ nodewave logs worker-31`

export function logsCommand(io: CliIo): Command {
  return withClusterOptions(new Command('logs'))
    .description('show what the agent, the kubelet and the controller reported of a node last, the oldest first')
    .argument('<node>', 'name of the node')
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((name: string, flags: Flags) => runLogs(io, name, flags))
}

async function runLogs(io: CliIo, text: string, { annotationPrefix, output, ...cluster }: Flags): Promise<void> {
  const kube = await connectTo(io, cluster)
  const subject = await subjectNamed(kube, text.startsWith('node/') ? text : `node/${text}`)
  if (subject.kind !== 'node') throw new Error(`"${text}" is no node; name a node`)
  const { name } = subject.node.metadata
  const events = await eventsOf(io, kube, name)
  const entries = logEntries(subject.node, { events, pools: subject.pools, names: namesFor(annotationPrefix) })
  io.stdout(output === 'text' ? toText(name, entries, io) : asDocument({ node: name, entries }, output))
}

/** A person who may not read events still sees the rest. */
async function eventsOf(io: CliIo, kube: KubeApi, node: string): Promise<readonly LogEntry[]> {
  const fieldSelector = `involvedObject.kind=Node,involvedObject.name=${node}`
  try {
    const { items } = await kube.list('/api/v1/namespaces/default/events', { project: entryOfEvent, fieldSelector })
    return items.flatMap((entry) => entry ?? [])
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 403) throw error
    io.stderr(
      `warning: events are not shown: ${errorText(error)}; it needs the right to list events in the namespace "default"\n`,
    )
    return []
  }
}

function toText(node: string, entries: readonly LogEntry[], io: CliIo): string {
  if (entries.length === 0) return `nothing is reported of "${node}"; look at the host: journalctl -u nodewave-agent -u kubelet\n`
  return `${entries.flatMap((entry) => linesOf(entry, io)).join('\n')}\n`
}

function linesOf({ at, source, reason, lines: [first, ...others], count }: LogEntry, io: CliIo): string[] {
  const times = count === undefined ? '' : ` (${count} times)`
  const said = first === undefined ? '' : `: ${first}`
  return [`${at && `${at} `}${source} ${reason}${times}${said}`, ...others.map((line) => `  ${line}`)].map((line) =>
    folded(line, { columns: foldAt(io), by: 2 }),
  )
}
