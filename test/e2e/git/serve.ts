/** Git repositories over smart HTTP: `node serve.ts DIR ADDRESS PORT`. A process of its own, so that a kept cluster keeps it. */
import { startGitServer } from '../../../src/sim/git-server.ts'

const [root, host, port] = process.argv.slice(2)
if (root === undefined || host === undefined || port === undefined) throw new Error('usage: serve.ts DIR ADDRESS PORT')
await startGitServer({
  root,
  host,
  port: Number(port),
  onPush: (name) => console.log(`${new Date().toISOString()} push ${name}`),
})
