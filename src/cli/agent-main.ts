/** The agent as a program of its own: what is bundled into the one file that hosts run. */
import { runAgentCommand } from './agent.ts'

process.exitCode = await runAgentCommand(process.argv.slice(2))
