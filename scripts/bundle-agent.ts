import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/**
 * Takes modules of Node from the process, on first use. An `import` of them reads all that they export, also what they would load on first
 * use: with `node:fs` come readline and streams, with `node:util` workers, and the agent would carry them on every node.
 */
const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup({ onResolve, onLoad }) {
    // The yaml package says them without the prefix.
    onResolve({ filter: /^(node:.+|process|buffer)$/ }, ({ path }) => ({ path, namespace: 'builtin' }))
    // As a prototype: esbuild copies what a module has of its own, which would load it all again.
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `let loaded
const get = (_, name) => (loaded ??= process.getBuiltinModule(${JSON.stringify(path)}))[name]
module.exports = Object.create(new Proxy({}, { get }))`,
    }))
  },
}

/** The yaml package as ES modules, of which what is not used is left out; for Node it has only CommonJS. */
const leanYaml: Plugin = {
  name: 'lean-yaml',
  setup({ onResolve }) {
    const path = join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/dist/index.js')
    onResolve({ filter: /^yaml$/ }, () => ({ path, sideEffects: false }))
  },
}

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
    plugins: [builtinModules, leanYaml],
    // V8 keeps the text, and in two bytes a character when one character, be it in a comment, is not of Latin-1. Names stay for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // When the agent crashes, Node prints the line.
    lineLimit: 120,
  })
  return outfile
}
