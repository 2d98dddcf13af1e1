import { type Argument, Command, CommanderError, type Option } from 'commander'
import { VERSION } from '../protocol/version.ts'
import type { CliIo } from './cli-io.ts'
import { ErrorReport } from './output/report-error.ts'
import { guarded } from './terminal-text.ts'

/** Every command of a person's, loaded only when it is asked for: `status` must not pay for what `controller` needs. */
const COMMANDS: Readonly<Record<string, (io: CliIo) => Promise<Command>>> = {
  demo: async (io) => (await import('./demo.ts')).demoCommand(io),
  init: async (io) => (await import('./init.ts')).initCommand(io),
  import: async (io) => (await import('./import.ts')).importCommand(io),
  validate: async (io) => (await import('./validate.ts')).validateCommand(io),
  plan: async (io) => (await import('./plan.ts')).planCommand(io),
  simulate: async (io) => (await import('./simulate.ts')).simulateCommand(io),
  render: async (io) => (await import('./render.ts')).renderCommand(io),
  explain: async (io) => (await import('./explain.ts')).explainCommand(io),
  windows: async (io) => (await import('./windows.ts')).windowsCommand(io),
  checksums: async (io) => (await import('./checksums.ts')).checksumsCommand(io),
  check: async (io) => (await import('./check.ts')).checkCommand(io),
  status: async (io) => (await import('./status.ts')).statusCommand(io),
  dashboard: async (io) => (await import('./dashboard.ts')).dashboardCommand(io),
  logs: async (io) => (await import('./logs.ts')).logsCommand(io),
  history: async (io) => (await import('./history.ts')).historyCommand(io),
  version: async (io) => (await import('./version.ts')).versionCommand(io),
  pause: async (io) => (await import('./controls/pause.ts')).pauseCommand(io),
  resume: async (io) => (await import('./controls/resume.ts')).resumeCommand(io),
  promote: async (io) => (await import('./controls/promote.ts')).promoteCommand(io),
  retry: async (io) => (await import('./controls/retry.ts')).retryCommand(io),
  rollback: async (io) => (await import('./controls/rollback.ts')).rollbackCommand(io),
  hold: async (io) => (await import('./controls/hold.ts')).holdCommand(io),
  release: async (io) => (await import('./controls/release.ts')).releaseCommand(io),
  reboot: async (io) => (await import('./controls/reboot.ts')).rebootCommand(io),
  reconcile: async (io) => (await import('./controls/reconcile.ts')).reconcileCommand(io),
  controller: async (io) => (await import('./controller.ts')).controllerCommand(io),
  keys: async (io) => (await import('./keys/keys.ts')).keysCommand(io),
  completion: async (io) => (await import('./completion.ts')).completionCommand(io),
}

/** Headings of the help, each with the commands below it. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'Start:': ['demo', 'init', 'import'],
  'Check a change before you push it:': ['validate', 'plan', 'simulate', 'render', 'explain', 'windows', 'checksums'],
  'Watch a cluster:': ['check', 'status', 'dashboard', 'logs', 'history', 'version'],
  'Operator actions:': ['pause', 'resume', 'promote', 'retry', 'rollback', 'hold', 'release', 'reboot', 'reconcile'],
  'Controller and setup:': ['controller', 'keys', 'completion'],
}

function headingOf(command: string): string {
  return Object.keys(HEADINGS).find((heading) => HEADINGS[heading]?.includes(command)) ?? 'Commands:'
}

/** Runs one command to its end; the exit code goes to `io`: 0 nothing differs, 1 there are changes, 2 an error. */
export async function runProgram(args: readonly string[], given: CliIo): Promise<void> {
  const report = new ErrorReport(guarded(given), args)
  const io = report.watched()
  try {
    if (args[0] === '__complete') return await complete(args.slice(1), io)
    const words = await namedByHelp(args, io)
    if (words === undefined) return
    const program = await buildProgram(words[0], io)
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return io.exit(0)
    report.tell(error)
    io.exit(2)
  }
}

/**
 * `help pla` says that there is no such command, as `pla` does, in place of the whole help.
 * @returns undefined when that was all: the help of the agent, which is no command of this program
 */
async function namedByHelp(args: readonly string[], io: CliIo): Promise<readonly string[] | undefined> {
  const [first, name] = args
  if (first !== 'help' || name === undefined || name === 'help' || name.startsWith('-') || name in COMMANDS) return args
  if (name !== 'agent') return [name]
  io.stdout((await import('./agent-help.ts')).agentHelp(undefined))
  return undefined
}

/** Asked by shells, not by people. */
async function complete(words: readonly string[], io: CliIo): Promise<void> {
  const { completeWords } = await import('./completion/complete.ts')
  await completeWords(io, await buildProgram(words.length > 1 ? words[0] : undefined, io), words)
}

async function buildProgram(name: string | undefined, io: CliIo): Promise<Command> {
  const program = new Command('nodewave')
    .description('GitOps for the machines under Kubernetes: git push upgrades kubelets')
    .version(VERSION, '-v, --version')
    .addHelpText(
      'after',
      '\n`nodewave agent --help` describes the agent, which runs on each node.\n\nExit codes: 0 success, no change, everything Ready; 1 there are changes,\nsomething is not Ready, or --wait was refused, failed or timed out; 2 an error.\n\nExample:\n  $ nodewave plan fleet/ --from main --to HEAD',
    )
  const named = COMMANDS[name ?? '']
  const loaded = named === undefined ? await Promise.all(Object.values(COMMANDS).map((load) => load(io))) : [await named(io)]
  for (const command of loaded) program.addCommand(command.helpGroup(headingOf(command.name())))
  for (const command of allOf(program)) {
    command
      .exitOverride()
      .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
      .configureHelp({ optionDescription: describe, argumentDescription: describe })
      .showHelpAfterError(`see: ${pathOf(command)} --help`)
  }
  return program
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

/** As in the documentation: `Default: 10m`, and what is off or empty unless it is named needs no word. */
function describe({ description, argChoices, defaultValue, defaultValueDescription: stated }: Option | Argument): string {
  const isNothing = defaultValue === undefined || stated === 'none' || (defaultValue === false && stated === undefined)
  const told = [description, ...(argChoices ? [`Choices: ${argChoices.join(', ')}`] : [])]
  return [...told, ...(isNothing ? [] : [`Default: ${stated ?? defaultValue}`])].join('. ')
}

/** Subcommands, too: commander lets them inherit nothing when they are added ready-made. */
function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)]
}
