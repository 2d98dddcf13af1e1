import { AGENT_HELP, type AgentSubcommand } from './agent-arguments.ts'

interface Subject {
  readonly purpose: string
  readonly options: readonly string[]
  readonly examples: readonly string[]
  readonly exitCodes: string
}

const EXIT = '0 success; 2 an error'

const SUBJECTS: Readonly<Record<AgentSubcommand, Subject>> = {
  rebase: {
    purpose: 'Replace damaged baselines by what the host has now. Stop the agent first.',
    options: ['state-directory', 'layout', 'environment-file', 'service-manager', 'root', 'log-format'],
    examples: ['rebase --state-directory /var/lib/nodewave'],
    exitCodes: EXIT,
  },
  doctor: {
    purpose: 'Show what the host policy forbids, and what on this host keeps the agent from working. Changes nothing.',
    options: ['output', 'node-name', 'kubeconfig', 'state-directory', 'service-manager', 'root'],
    examples: ['doctor', 'doctor -o json'],
    exitCodes: '0 the agent can work; 1 something keeps it from working; 2 an error',
  },
  import: {
    purpose: 'Print what this host runs as one JSON document, for nodewave import. Changes nothing.',
    options: ['node-name', 'layout', 'environment-file', 'state-directory', 'service-manager', 'root'],
    examples: ['import --node-name worker-1 > worker-1.json'],
    exitCodes: EXIT,
  },
  'security-updates': {
    purpose:
      'Print a HostProfile with the security updates that the package manager of this host offers, for a commit. Changes nothing.',
    options: ['node-name', 'state-directory', 'root'],
    examples: ['security-updates > security-updates.yaml'],
    exitCodes: EXIT,
  },
  install: {
    purpose: 'Make the agent of this folder the one that runs. When it does not report in time, the one before runs again.',
    options: ['proof', 'retry', 'host', 'offline', 'node-name', 'service-manager', 'state-directory'],
    examples: ['install --service-manager systemd', 'install --offline --host /mnt/image --node-name worker-1'],
    exitCodes: '0 the agent runs and reports; 1 it does not report; 2 an error',
  },
  uninstall: {
    purpose: 'Remove the agent from a host that it does not manage any more.',
    options: ['host', 'offline', 'service-manager', 'state-directory'],
    examples: ['uninstall', 'uninstall --offline --host /mnt/image'],
    exitCodes: EXIT,
  },
}

/** @param topic undefined: of the agent as a whole */
export function agentHelp(topic: AgentSubcommand | undefined): string {
  if (topic === undefined) return AGENT_HELP
  const { purpose, options, examples, exitCodes } = SUBJECTS[topic]
  return [
    `Usage: nodewave agent ${topic} [options]`,
    ...['', purpose, '', 'Options:', ...options.map(entryOf), entryOf('help')],
    ...['', `Exit codes: ${exitCodes}.`],
    ...['', examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map((words) => `  $ nodewave agent ${words}`), ''],
  ].join('\n')
}

/** As the help of the agent describes it, with the lines below. */
function entryOf(option: string): string {
  const [entry = ''] = new RegExp(`^ {2}(?:-\\w, )?--${option}\\b.*(?:\\n {20,}.*)*`, 'm').exec(AGENT_HELP) ?? []
  return entry.replace(/ of install: /, ' ').replace(/; after a command, .*/, '')
}
