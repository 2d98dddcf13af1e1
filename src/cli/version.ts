import { Command, Option } from 'commander'
import type { KubeApi } from '../kube/kube-api.ts'
import { NoKubeconfigError } from '../kube/kubeconfig.ts'
import { DEFAULT_NAMESPACE, DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import { VERSION } from '../protocol/version.ts'
import { versionCounts } from './check/agent-findings.ts'
import { readClusterNodes, readLeader } from './check/cluster-facts.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { outputOption } from './output/output-option.ts'
import { counted, tableLines } from './paint.ts'
import { printable } from './printable.ts'
import { type VersionReport, versionReport } from './version/version-report.ts'

interface Flags extends ClusterFlags {
  readonly client?: true
  readonly namespace: string
  readonly annotationPrefix: string
  readonly output: 'text' | DocumentFormat
}

export function versionCommand(io: CliIo): Command {
  return withClusterOptions(new Command('version'))
    .description('show the versions of this command, the controller and the agents, and which of them differ')
    .option('--client', 'only the version of this command; ask no cluster')
    .option('--namespace <name>', 'namespace of the controller', DEFAULT_NAMESPACE)
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nWithout a kubeconfig, only the version of this command is shown. Versions that\ndiffer do not change the exit code. Exit code 2: a cluster cannot be read.\n\nExample:\n  $ nodewave version --context production',
    )
    .action((flags: Flags) => runVersion(io, flags))
}

async function runVersion(io: CliIo, { client, namespace, annotationPrefix, output, ...cluster }: Flags): Promise<void> {
  const kube = client ? undefined : await connectIfNamed(io, cluster)
  const report = kube === undefined ? versionReport(VERSION) : await readReport(kube, { namespace, annotationPrefix })
  io.stdout(output === 'text' ? toText(report) : asDocument(report, output))
  for (const error of report.errors) io.stderr(`error: ${printable(error)}\n`)
  io.exit(report.errors.length > 0 ? 2 : 0)
}

/** @returns undefined where no cluster is named */
async function connectIfNamed(io: CliIo, cluster: ClusterFlags): Promise<KubeApi | undefined> {
  try {
    return await connectTo(io, cluster)
  } catch (error) {
    if (error instanceof NoKubeconfigError && cluster.context === undefined) return undefined
    throw error
  }
}

async function readReport(
  kube: KubeApi,
  { namespace, annotationPrefix }: Pick<Flags, 'namespace' | 'annotationPrefix'>,
): Promise<VersionReport> {
  const [leader, nodes] = await Promise.all([readLeader(kube, namespace), readClusterNodes(kube, namesFor(annotationPrefix))])
  return versionReport(VERSION, { leader, nodes })
}

function toText({ client, controller, agents, withoutReport = [], skew }: VersionReport): string {
  const rows = [
    ['client', client],
    ...(controller === undefined
      ? []
      : [['controller', controller ? `${controller.version} (${controller.holder})` : 'none leads']]),
    ...(agents === undefined ? [] : [['agents', agents.length === 0 ? 'none has reported' : versionCounts(agents)]]),
    ...(withoutReport.length === 0 ? [] : [['no report', counted(withoutReport.length, 'node')]]),
    ...skew.map((line) => ['skew', line]),
  ]
  return `${tableLines(rows.map((row) => row.map(printable))).join('\n')}\n`
}
