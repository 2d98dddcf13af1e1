import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import * as checks from '../node_modules/zod/v4/mini/checks.js'
import * as schemas from '../node_modules/zod/v4/mini/schemas.js'

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

/** What makes schemas and checks; what calls back for a schema would be given a late one. */
const MAKES_SCHEMAS = Object.keys({ ...schemas, ...checks }).filter((name) => /^[a-z_]/.test(name) && name !== 'lazy')

/** zod/mini with late schemas. Another use of it is an error of the build. */
const lateSchemas: Plugin = {
  name: 'late-schemas',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^zod\/mini$/ }, ({ path, namespace }) =>
      namespace === 'late-schemas' ? undefined : { path, namespace: 'late-schemas', sideEffects: false },
    )
    onLoad({ filter: /.*/, namespace: 'late-schemas' }, () => ({
      contents: [
        `import * as z from 'zod/mini'; import { late } from './late-schemas.ts'`,
        ...MAKES_SCHEMAS.map(
          (name) => `const late_${name} = /* @__PURE__ */ late(z.${name}); export { late_${name} as ${name} }`,
        ),
      ].join('\n'),
      resolveDir: import.meta.dirname,
    }))
  },
}

/** The agent as one file, `nodewave-agent.mjs` in `directory`, that a host can run with Node alone. @returns its path */
export async function bundleAgent(directory: string): Promise<string> {
  const outfile = join(directory, 'nodewave-agent.mjs')
  await build({ ...OPTIONS, outfile })
  return outfile
}

/** What starts the bundle from compiled code (`src/cli/agent-start.ts`). */
export async function bundleStart(): Promise<Buffer> {
  const entryPoints = [join(import.meta.dirname, '../src/cli/agent-start.ts')]
  const { outputFiles } = await build({ ...OPTIONS, entryPoints, format: 'esm', outfile: 'nodewave-agent.mjs', write: false })
  return Buffer.from(outputFiles[0]?.contents ?? [])
}

/** The packages of which the bundle has parts, sorted. */
export async function agentPackages(): Promise<string[]> {
  const { metafile } = await build({ ...OPTIONS, outfile: 'nodewave-agent.mjs', write: false, metafile: true })
  const names = Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}

const OPTIONS = {
  entryPoints: [join(import.meta.dirname, '../src/cli/agent-main.ts')],
  bundle: true,
  platform: 'node',
  target: 'node24',
  // A script, which V8 can keep compiled, and a module to Node.
  format: 'iife',
  logLevel: 'warning',
  plugins: [builtinModules, leanYaml, lateSchemas],
  logOverride: { 'import-is-undefined': 'error' },
  // V8 keeps the text, and in two bytes a character when one character, be it in a comment, is not of Latin-1. Names stay for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // When the agent crashes, Node prints the line.
  lineLimit: 120,
} satisfies BuildOptions
