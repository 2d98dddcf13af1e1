import { Command, Option } from 'commander'
import { DEFAULT_NAMESPACE, DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import { VERSION } from '../protocol/version.ts'
import { readClusterFacts } from './check/cluster-facts.ts'
import { judgeCluster } from './check/judge-cluster.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { findingLines } from './finding-lines.ts'
import { outputOption } from './output/output-option.ts'

interface Flags extends ClusterFlags {
  readonly namespace: string
  readonly annotationPrefix: string
  readonly output: 'text' | DocumentFormat
}

export function checkCommand(io: CliIo): Command {
  return withClusterOptions(new Command('check'))
    .description(
      'check the installation in a cluster: kinds, admission, controller, repository, pools, agents; each with a remedy',
    )
    .option('--namespace <name>', 'namespace of the controller', DEFAULT_NAMESPACE)
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nExit code 1: something keeps nodewave from working, or no API server answers; warnings do not count.\n\nExample:\n  $ nodewave check --context production',
    )
    .action((flags: Flags) => runCheck(io, flags))
}

async function runCheck(io: CliIo, { namespace, annotationPrefix, output, ...cluster }: Flags): Promise<void> {
  const facts = await readClusterFacts(await connectTo(io, cluster), { names: namesFor(annotationPrefix), namespace })
  const findings = judgeCluster(facts, { now: io.now(), version: VERSION, namespace })
  io.stdout(output === 'text' ? findingLines(findings) : asDocument({ findings }, output))
  io.exit(findings.some(({ state }) => state === 'error') ? 1 : 0)
}
