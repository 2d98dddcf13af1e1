/** The one entry of `nodewave`. The agent goes its own way before anything else is loaded: it runs on every node. */
const [name, ...rest] = process.argv.slice(2)
if (name === 'agent') {
  const { runAgentCommand } = await import('./agent.ts')
  process.exitCode = await runAgentCommand(rest)
} else {
  const [{ runProgram }, { processIo }] = await Promise.all([import('./program.ts'), import('./cli-io.ts')])
  await runProgram(process.argv.slice(2), processIo())
}
