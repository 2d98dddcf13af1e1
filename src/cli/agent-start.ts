/** `nodewave-agent.mjs` of a folder that a host gets: runs the agent's code from what V8 compiled of it when the folder was built. */
import { runCompiled } from './run-compiled.ts'

runCompiled(import.meta.dirname)
