/** The agent as a program of its own: what is bundled into the one file that hosts run. It is a script, too, so nothing is awaited here. */
import { runAgentCommand } from './agent.ts'

/** As Node ends when it waits for what can no longer come. */
process.exitCode = 13
runAgentCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
