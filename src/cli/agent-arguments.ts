import { parseArgs } from 'node:util'
import { type AgentOptions, DEFAULT_OPTIONS, DEFAULT_TIMING } from '../agent/options.ts'
import { BOOTSTRAP_KUBECONFIG } from '../agent/paths.ts'
import { SERVICE_MANAGERS, type ServiceManagerName } from '../agent/service-managers.ts'
import { COREOS_PREFIX, OBJECT_NAME } from '../protocol/names.ts'

export type AgentSubcommand = Exclude<(typeof COMMANDS)[number], 'run'>

export interface AgentArguments {
  readonly command: (typeof COMMANDS)[number] | 'help' | 'version'
  /** Of `help`: the subcommand that it is asked of. */
  readonly topic: AgentSubcommand | undefined
  readonly kubeconfig: string | undefined
  /** Of the option, or of `NODE_NAME`. */
  readonly nodeName: string | undefined
  /** With a bootstrap token, for a machine that has no other credential yet. */
  readonly bootstrapKubeconfig: string
  /** Of the Node that the agent makes with it. */
  readonly nodeLabels: Readonly<Record<string, string>>
  /** The directory that stands for `/`. */
  readonly root: string
  readonly logFormat: 'text' | 'json'
  /** That the textfile collector of node-exporter reads; undefined: nothing is written for it. */
  readonly textfileDirectory: string | undefined
  /** `auto`: the one that runs on this machine. */
  readonly serviceManager: 'auto' | ServiceManagerName
  /** Of `doctor`. */
  readonly output: 'text' | 'json'
  /** Of `install`: where the host's file system is seen, from a container. */
  readonly host: string | undefined
  /** Of `install`: milliseconds in which the new agent has to report. */
  readonly proof: number
  /** Of `install`: also a version that did not report when it was tried. */
  readonly retry: boolean
  /** Of `install` and `uninstall`: the host does not run, as while an image of a machine is built. */
  readonly offline: boolean
  readonly options: AgentOptions
}

const LAYOUTS = ['auto', 'kubeadm', 'env'] as const
const MANAGERS = ['auto', ...SERVICE_MANAGERS] as const
const FORMATS = ['text', 'json'] as const
const SUBCOMMANDS = ['rebase', 'doctor', 'import', 'security-updates', 'install', 'uninstall'] as const
const COMMANDS = ['run', ...SUBCOMMANDS] as const

export const AGENT_HELP = `Usage: nodewave agent [options]          configure this node as its annotation says
       nodewave agent rebase [options]   replace damaged baselines by what the host has now; stop the agent first
       nodewave agent doctor [options]   show what the host policy forbids, and what on this host stands in the
                                         way; changes nothing; exit code 1 with an error, 2 for a wrong option
       nodewave agent import [options]   print what this host runs as one JSON document, for nodewave import;
                                         changes nothing
       nodewave agent security-updates [options]  print a HostProfile with the security updates that the package
                                         manager of this host offers, for a commit; changes nothing
       nodewave agent install [options]  make the agent of this folder the one that runs; exit code 1 when it does
                                         not report, and then the one before runs again
       nodewave agent uninstall          remove the agent from a host that it does not manage any more

Options:
  --node-name NAME           this node's name. Default: $NODE_NAME, or the host's name
  --kubeconfig FILE          credentials. Default: /etc/kubernetes/kubelet.conf, or the pod's service account
  --bootstrap-kubeconfig FILE  bootstrap token, used once on a machine without kubelet.conf.
                             Default: ${BOOTSTRAP_KUBECONFIG}
  --node-labels LABELS       labels of the Node that the agent then makes, such as pool=workers,disk=ssd
  --annotation-prefix NAME   prefix of the annotations on the Node. Default: ${DEFAULT_OPTIONS.prefix}
  --namespace NAME           namespace of ConfigMaps that the annotation names without one. Default: ${DEFAULT_OPTIONS.namespace}
  --layout LAYOUT            how the kubelet is installed: ${LAYOUTS.join(', ')}. Default: auto
  --environment-file FILE    environment file of the env layout. Default: ${DEFAULT_OPTIONS.environmentFile}
  --service-manager NAME     program that starts services: ${MANAGERS.join(', ')}. Default: auto
  --state-directory DIR      directory of the agent's state. Default: ${DEFAULT_OPTIONS.stateDirectory}
  --health-timeout SECONDS   time for a restarted kubelet to become healthy. Default: ${DEFAULT_TIMING.healthy / 1000}
  --trial SECONDS            time that a change must stay healthy to become last-known-good. Default: ${DEFAULT_TIMING.trial / 1000}
  --drift-interval SECONDS   time between two checks for what somebody has changed. Default: ${DEFAULT_TIMING.drift / 1000}
  --textfile-directory DIR   directory of the textfile collector of node-exporter, for metrics of this agent. Default: none
  --root DIR                 directory used as / in a test: the agent writes files there and touches no service
  --log-format FORMAT        ${FORMATS.join(' or ')}. Default: text
  --version                  print the version
  -h, --help                 print the help; after a command, the help of that command

Options of install and uninstall:
  --host DIR                 in a container: directory where the host's file system is mounted
  --proof SECONDS            of install: time for the new agent to report. Default: 60
  --retry                    of install: try a version again that did not report
  --offline                  the host below --host (default: /) does not run, as while an image is built; its agent
                             starts when it boots

Options of doctor:
  -o, --output FORMAT        format of the findings: ${FORMATS.join(' or ')}. Default: text

Example:
  $ nodewave agent --node-name worker-1 --health-timeout 120

Example, in place of a CoreOS Node Agent:
  $ nodewave agent --annotation-prefix ${COREOS_PREFIX} --namespace kube-system --layout env

Examples on a host, where the program is /opt/nodewave/current/nodewave-agent:
  $ nodewave agent doctor -o json
  $ nodewave agent import --node-name worker-1 > worker-1.json
  $ nodewave agent security-updates > security-updates.yaml
  $ nodewave agent install --service-manager systemd
  $ nodewave agent uninstall
  $ nodewave agent rebase --state-directory /var/lib/nodewave
`

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' }

const OPTIONS = {
  'node-name': { type: 'string' },
  kubeconfig: { type: 'string' },
  'bootstrap-kubeconfig': { type: 'string', default: BOOTSTRAP_KUBECONFIG },
  'node-labels': { type: 'string', default: '' },
  'annotation-prefix': { type: 'string', default: DEFAULT_OPTIONS.prefix },
  namespace: { type: 'string', default: DEFAULT_OPTIONS.namespace },
  layout: { type: 'string', default: DEFAULT_OPTIONS.layout },
  'environment-file': { type: 'string', default: DEFAULT_OPTIONS.environmentFile },
  'service-manager': { type: 'string', default: 'auto' },
  'state-directory': { type: 'string', default: DEFAULT_OPTIONS.stateDirectory },
  'health-timeout': { type: 'string', default: String(DEFAULT_TIMING.healthy / 1000) },
  trial: { type: 'string', default: String(DEFAULT_TIMING.trial / 1000) },
  'drift-interval': { type: 'string', default: String(DEFAULT_TIMING.drift / 1000) },
  'textfile-directory': { type: 'string' },
  root: { type: 'string', default: '/' },
  host: { type: 'string' },
  proof: { type: 'string', default: '60' },
  retry: { type: 'boolean', default: false },
  offline: { type: 'boolean', default: false },
  'log-format': { type: 'string', default: 'text' },
  output: { type: 'string', short: 'o', default: 'text' },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** @throws {Error} naming an option that is unknown: the words of `parseArgs` are of positional arguments, which there are not. */
function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const [, option] = /'(-[^']*)'/.exec(message) ?? []
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || option === undefined) throw cause
    throw new Error(`unknown option "${option}"; see nodewave agent --help`, { cause })
  }
}

/** @throws when an option is unknown or its value is none of those it can have. */
export function parseAgentArguments(args: readonly string[], { NODE_NAME }: NodeJS.ProcessEnv = process.env): AgentArguments {
  const { values, positionals } = parsed(args)
  const directory = values['textfile-directory']
  return {
    command: values.help ? 'help' : values.version ? 'version' : commandIn(positionals),
    topic: SUBCOMMANDS.find((name) => name === positionals[0]),
    kubeconfig: values.kubeconfig,
    nodeName: nameOfNode('--node-name', values['node-name']) ?? nameOfNode('NODE_NAME', NODE_NAME || undefined),
    bootstrapKubeconfig: absolute('--bootstrap-kubeconfig', values['bootstrap-kubeconfig']),
    nodeLabels: labels('--node-labels', values['node-labels']),
    textfileDirectory: directory === undefined ? undefined : absolute('--textfile-directory', directory),
    root: values.root,
    host: values.host,
    proof: atLeastOne('--proof', values.proof) * 1000,
    retry: values.retry,
    offline: values.offline,
    serviceManager: oneOf(MANAGERS, { option: '--service-manager', value: values['service-manager'] }),
    logFormat: oneOf(FORMATS, { option: '--log-format', value: values['log-format'] }),
    output: oneOf(FORMATS, { option: '--output', value: values.output }),
    options: {
      ...DEFAULT_OPTIONS,
      prefix: values['annotation-prefix'],
      namespace: values.namespace,
      layout: oneOf(LAYOUTS, { option: '--layout', value: values.layout }),
      environmentFile: absolute('--environment-file', values['environment-file']),
      stateDirectory: absolute('--state-directory', values['state-directory']),
      arch: ARCHITECTURES[process.arch] ?? process.arch,
      timing: {
        ...DEFAULT_TIMING,
        healthy: seconds('--health-timeout', values['health-timeout']) * 1000,
        trial: seconds('--trial', values.trial) * 1000,
        drift: atLeastOne('--drift-interval', values['drift-interval']) * 1000,
      },
    },
  }
}

function commandIn(positionals: readonly string[]): (typeof COMMANDS)[number] {
  const [name = 'run', ...more] = positionals
  const command = COMMANDS.find((each) => each === name)
  if (command !== undefined && more.length === 0) return command
  throw new Error(
    `unknown argument "${positionals.join(' ')}": commands are ${SUBCOMMANDS.join(', ')}; see nodewave agent --help`,
  )
}

function oneOf<T extends string>(
  choices: readonly T[],
  { option, value }: { readonly option: string; readonly value: string },
): T {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new Error(`invalid ${option} "${value}": expected one of ${choices.join(', ')}`)
}

function absolute(option: string, path: string): string {
  if (path.startsWith('/') && !path.split('/').includes('..')) return path.replace(/(?<=.)\/+$/, '')
  throw new Error(`invalid ${option} "${path}": expected an absolute path`)
}

/** It becomes part of paths of the API and of a unit's drop-in. */
function nameOfNode(option: string, name: string | undefined): string | undefined {
  if (name === undefined || OBJECT_NAME.test(name)) return name
  throw new Error(`invalid ${option} ${JSON.stringify(name)}: expected the name of a Node such as worker-1`)
}

/** Whether a kubelet may set them is for the API server to say. */
function labels(option: string, text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair !== '')
  const read = pairs.map((pair) => /^([^=]+)=([^=]*)$/.exec(pair))
  const wrong = pairs[read.indexOf(null)]
  if (wrong !== undefined) throw new Error(`invalid ${option} "${wrong}": expected labels such as pool=workers,disk=ssd`)
  return Object.fromEntries(read.map((match) => [match?.[1] ?? '', match?.[2] ?? '']))
}

function seconds(option: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new Error(`invalid ${option} "${text}": expected a number of seconds`)
}

function atLeastOne(option: string, text: string): number {
  const found = seconds(option, text)
  if (found >= 1) return found
  throw new Error(`invalid ${option} "${text}": expected at least one second`)
}
