import { Command, InvalidArgumentError, Option } from 'commander'
import { PAYLOAD_READERS } from '../controller/cache/cluster-settings.ts'
import {
  DEFAULT_GATES_NAMESPACE,
  DEFAULT_NAMESPACE,
  DEFAULT_PREFIX,
  DEFAULT_REVISIONS_NAMESPACE,
  DEFAULT_SECRETS_NAMESPACE,
} from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { addCommitSignatureOptions } from './controller/commit-signature-options.ts'
import { controllerLog, LOG_FORMATS } from './controller/controller-log.ts'
import { addDashboardOptions } from './controller/dashboard-options.ts'
import { addDeploymentOptions } from './controller/deployment-options.ts'
import { addElectionOptions } from './controller/election-options.ts'
import { addGitOptions } from './controller/git-options.ts'
import { addGithubAppOptions } from './controller/github-app-options.ts'
import { groupOptions } from './controller/help-groups.ts'
import { addMetricsOptions } from './controller/metrics-options.ts'
import { addNotificationOptions } from './controller/notification-options.ts'
import { addRefOptions } from './controller/ref-options.ts'
import { addRevertOptions } from './controller/revert-options.ts'
import { type ControllerSetup, runController } from './controller/run-controller.ts'
import { addStatusOptions } from './controller/status-options.ts'
import { addTraceOptions } from './controller/trace-options.ts'
import { addWebhookOptions } from './controller/webhook-options.ts'

interface Flags extends Omit<ControllerSetup, 'cwd' | 'env' | 'log'> {
  readonly logFormat: (typeof LOG_FORMATS)[number]
}

export function controllerCommand(io: CliIo): Command {
  const command = new Command('controller')
    .description('follow a fleet repository and roll its commits out to the nodes of a cluster, wave by wave')
    .requiredOption('--repo <url|path>', 'the fleet repository: an https:// or ssh:// URL, or a path on this machine')
    .addOption(new Option('--path <folder>', 'folder of the fleet in the repository').default('', 'its root'))
    .option('--cluster <name>', 'cluster of the repository that this is, where it has several')
    .addOption(POLL)
    .option('--username-file <file>', 'file with the user name for the repository; needs --password-file')
    .option('--password-file <file>', 'file with the password for the repository')
    .option('--token-file <file>', 'file with the bearer token for the repository')
    .option('--ca-file <file>', 'file with the CA certificates of the repository, as PEM')
    .option('--client-cert-file <file>', 'file with the client certificate for the repository, as PEM; needs --client-key-file')
    .option('--client-key-file <file>', 'file with the private key of the client certificate')
    .option('--ssh-key-file <file>', 'file with the private deploy key, for an ssh:// URL')
    .option('--ssh-known-hosts-file <file>', 'file with the keys of the host of an ssh:// URL, as known_hosts has them')
    .addOption(
      new Option('--allow-force-push', 'accept a commit that does not descend from the last accepted commit').default(
        false,
        'refuse it',
      ),
    )
    .option('--state-dir <directory>', 'directory of the clone. Default: a temporary directory')
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the cluster. Default: KUBECONFIG, the service account of the pod, or ~/.kube/config',
    )
    .option('--namespace <name>', 'namespace of the ConfigMaps that nodes read, and of the lease', DEFAULT_NAMESPACE)
    .option(
      '--revisions-namespace <name>',
      'namespace of accepted revisions, which no node may read',
      DEFAULT_REVISIONS_NAMESPACE,
    )
    .addOption(
      new Option('--payload-readers <who>', 'nodes that may read a payload: own writes a Role for each node, all writes none')
        .choices(PAYLOAD_READERS)
        .default('own'),
    )
    .option('--gates-namespace <name>', 'namespace of the Jobs of gates and their CronJobs', DEFAULT_GATES_NAMESPACE)
    .option('--age-key-file <file>', 'file with the age keys that open encrypted files of the repository')
    .option(
      '--secrets-namespace <name>',
      `namespace of the Secrets that hosts may get values of (secretRef), such as ${DEFAULT_SECRETS_NAMESPACE}. Default: none`,
    )
    .option('--no-ceiling', 'do not read the Ceiling of the cluster, nor need its kind')
    .option('--signing-key <file>', 'file with the ed25519 private key that assignments are signed with, as PEM')
    .option('--prometheus-url <url>', 'Prometheus server that gets the token; a gate that names another server sends no token')
    .option('--prometheus-token-file <file>', 'file with the bearer token for that Prometheus')
    .option('--annotation-prefix <prefix>', 'prefix of annotations and labels', DEFAULT_PREFIX)
    .addOption(new Option('--log-format <format>', 'format of log lines on standard error').choices(LOG_FORMATS).default('text'))
  return groupOptions(OPTION_GROUPS.reduce((grown, add) => add(grown), command))
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave controller --repo https://git.example.com/fleet.git --token-file /run/secrets/token',
    )
    .action(({ logFormat, ...flags }: Flags) => {
      const log = controllerLog(io, logFormat)
      return untilSignal((signal) => runController({ ...flags, cwd: io.cwd, env: io.env, log }, signal), log)
    })
}

/** In the order of the help. */
const OPTION_GROUPS: readonly ((command: Command) => Command)[] = [
  addRefOptions,
  addGithubAppOptions,
  addCommitSignatureOptions,
  (command) => addGitOptions(command, parseDuration),
  (command) => addElectionOptions(command, parseDuration),
  addWebhookOptions,
  addMetricsOptions,
  addDashboardOptions,
  addStatusOptions,
  addDeploymentOptions,
  addRevertOptions,
  addNotificationOptions,
  addTraceOptions,
]

const POLL = new Option('--poll <duration>', 'interval between fetches of a URL').argParser(parseDuration).default(30_000, '30s')

/** After the first signal, a write that is under way ends first, and the lease is handed over; after the second one, the process ends at once. */
async function untilSignal(run: (signal: AbortSignal) => Promise<void>, log: ControllerSetup['log']): Promise<void> {
  const stop = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    log('info', `stopping: ${name}`)
    stop.abort()
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, onSignal)
  try {
    await run(stop.signal)
  } finally {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, onSignal)
  }
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const milliseconds = Number(count) * UNITS[unit as keyof typeof UNITS]
  if (!(milliseconds >= 1000)) throw new InvalidArgumentError('expected a duration of at least a second, such as 30s or 5m')
  return milliseconds
}
