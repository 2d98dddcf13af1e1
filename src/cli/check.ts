import { Command, Option } from 'commander'
import { createKubeClient } from '../kube/kube-client.ts'
import { readServerTime } from '../kube/server-time.ts'
import { DEFAULT_NAMESPACE, DEFAULT_PREFIX, namesFor } from '../protocol/names.ts'
import { VERSION } from '../protocol/version.ts'
import { readClusterFacts } from './check/cluster-facts.ts'
import { judgeCluster } from './check/judge-cluster.ts'
import { neededRights, ROLES, type Role } from './check/needed-rights.ts'
import type { CliIo } from './cli-io.ts'
import { type ClusterFlags, connectionTo, withClusterOptions } from './cluster.ts'
import { asDocument, type DocumentFormat } from './documents.ts'
import { findingLines } from './finding-lines.ts'
import { outputOption } from './output/output-option.ts'

interface Flags extends ClusterFlags {
  readonly namespace: string
  readonly annotationPrefix: string
  readonly rights: Role
  readonly output: 'text' | DocumentFormat
}

export function checkCommand(io: CliIo): Command {
  return withClusterOptions(new Command('check'))
    .description(
      'check the installation in a cluster: clocks, your rights, kinds, admission, controller, repository, pools, agents; each with a remedy',
    )
    .option('--namespace <name>', 'namespace of the controller', DEFAULT_NAMESPACE)
    .addOption(new Option('--annotation-prefix <prefix>', 'prefix of annotations and labels on nodes').default(DEFAULT_PREFIX))
    .addOption(new Option('--rights <role>', 'role whose rights you are to have').choices(ROLES).default('operator'))
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nExit code 1: something keeps nodewave from working, or no API server answers; warnings do not count.\n\nExample:\n  $ nodewave check --context production',
    )
    .action((flags: Flags) => runCheck(io, flags))
}

async function runCheck(io: CliIo, { namespace, annotationPrefix, rights: role, output, ...cluster }: Flags): Promise<void> {
  const connection = await connectionTo(io, cluster)
  const facts = await readClusterFacts(createKubeClient(connection), {
    names: namesFor(annotationPrefix),
    namespace,
    serverTime: () => readServerTime(connection),
    rights: neededRights(role, namespace),
  })
  const findings = judgeCluster(facts, { now: io.now(), version: VERSION, namespace, role })
  io.stdout(output === 'text' ? findingLines(findings) : asDocument({ findings }, output))
  io.exit(findings.some(({ state }) => state === 'error') ? 1 : 0)
}
