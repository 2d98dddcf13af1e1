import { Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_NAMESPACE, DEFAULT_PREFIX, DEFAULT_REVISIONS_NAMESPACE } from '../protocol/names.ts'
import type { CliIo } from './cli-io.ts'
import { controllerLog, LOG_FORMATS } from './controller/controller-log.ts'
import { addElectionOptions } from './controller/election-options.ts'
import { addGitOptions } from './controller/git-options.ts'
import { type ControllerSetup, runController } from './controller/run-controller.ts'

interface Flags extends Omit<ControllerSetup, 'cwd' | 'env' | 'log'> {
  readonly logFormat: (typeof LOG_FORMATS)[number]
}

export function controllerCommand(io: CliIo): Command {
  const command = new Command('controller')
    .description('follow a fleet repository, and bring the nodes of a cluster to what it says, wave by wave')
    .requiredOption('--repo <url|path>', 'the fleet repository: an https:// URL, or a path on this machine')
    .option('--branch <name>', 'branch to follow (default: "main"; of a path: whatever is checked out)')
    .addOption(new Option('--path <folder>', 'folder of the fleet in the repository').default('', 'its root'))
    .addOption(POLL)
    .option('--username-file <file>', 'user name for the repository; goes with --password-file')
    .option('--password-file <file>', 'password for the repository')
    .option('--token-file <file>', 'bearer token for the repository')
    .option('--ca-file <file>', 'certificates to trust the repository by, as PEM')
    .addOption(
      new Option('--allow-force-push', 'take a head that does not descend from the last accepted commit').default(
        false,
        'refuse it',
      ),
    )
    .option('--state-dir <directory>', 'where the clone is kept; a temporary directory unless stated')
    .option('--kubeconfig <file>', 'the cluster; KUBECONFIG, the pod, or ~/.kube/config unless stated')
    .option('--namespace <name>', 'where payloads are kept, which nodes read, and the lease', DEFAULT_NAMESPACE)
    .option(
      '--revisions-namespace <name>',
      'where accepted revisions are kept, which no node may read',
      DEFAULT_REVISIONS_NAMESPACE,
    )
    .option('--prometheus-url <url>', 'the Prometheus of gates that is shown a token; a gate may name another, and that is not')
    .option('--prometheus-token-file <file>', 'bearer token for it')
    .option('--annotation-prefix <prefix>', 'prefix of annotations and labels', DEFAULT_PREFIX)
    .addOption(new Option('--log-format <format>', 'of lines on standard error').choices(LOG_FORMATS).default('text'))
  return addElectionOptions(addGitOptions(command, parseDuration), parseDuration)
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave controller --repo https://git.example.com/fleet.git --token-file /run/secrets/token',
    )
    .action(({ logFormat, ...flags }: Flags) => {
      const log = controllerLog(io, logFormat)
      return untilSignal((signal) => runController({ ...flags, cwd: io.cwd, env: io.env, log }, signal), log)
    })
}

const POLL = new Option('--poll <duration>', 'how often a URL is asked for news').argParser(parseDuration).default(30_000, '30s')

/** Once told to stop, a write that is under way ends first, and the lease is handed over; told twice, the process ends at once. */
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
