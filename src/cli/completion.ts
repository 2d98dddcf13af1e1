import { Argument, Command } from 'commander'
import type { CliIo } from './cli-io.ts'
import { type CompletionTarget, completionScripts, SHELLS } from './completion/scripts.ts'

export function completionCommand(io: CliIo): Command {
  return new Command('completion')
    .description('print the completion of commands, options, pools and nodes for a shell')
    .addArgument(new Argument('<shell>', 'shell that reads the completion').choices(SHELLS))
    .addHelpText('after', '\nExample:\n  $ source <(nodewave completion bash)')
    .action((shell: CompletionTarget) => io.stdout(completionScripts[shell]))
}
