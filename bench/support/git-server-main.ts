/** Serves a folder of repositories in a process of its own, until the one that started it goes. Arguments: folder. */

import { startGitServer } from '../../src/sim/git-server.ts'

const [root = ''] = process.argv.slice(2)
const server = await startGitServer({ root })
process.send?.(server.url)
process.once('disconnect', () => void server[Symbol.asyncDispose]())
