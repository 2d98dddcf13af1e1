/** The agent as `agent-main.ts` runs it, but that looks for another kubeconfig several times a second. */
import { runAgentCommand } from '../../src/cli/agent.ts'

process.exitCode = await runAgentCommand(process.argv.slice(2), { otherKubeconfig: 100 })
