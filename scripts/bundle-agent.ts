import { join } from 'node:path'
import { build } from 'esbuild'

/** The agent as one file, `nodewave-agent.mjs` in `directory`, that a host can run with Node alone. @returns its path */
export async function bundleAgent(directory: string): Promise<string> {
  const outfile = join(directory, 'nodewave-agent.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, '../src/cli/agent-main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
    // CommonJS packages inside the bundle still call require(): give them one.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return outfile
}
