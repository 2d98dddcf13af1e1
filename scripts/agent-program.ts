/** The agent as a host runs it: its code, what V8 compiled of it, and what brings both together. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CODE_FILE, COMPILED_FILE, checksumOf } from '../src/cli/run-compiled.ts'
import { bundleStart } from './bundle-agent.ts'

export interface ProgramOptions {
  readonly root: string
  /** Path of the bundled agent. */
  readonly bundle: string
  /** The Node that will run it. Undefined when this machine cannot run that: then V8 compiles on the host, at each start. */
  readonly node: string | undefined
}

export interface ProgramFile {
  readonly name: string
  readonly content: Buffer
}

export async function agentProgram({ root, bundle, node }: ProgramOptions): Promise<ProgramFile[]> {
  const code = readFileSync(bundle)
  const files = [
    { name: 'nodewave-agent.mjs', content: await bundleStart() },
    { name: CODE_FILE, content: code },
  ]
  if (node === undefined) return files
  const compiled = compile(bundle, { node, flags: unitFlags(root) })
  return [...files, { name: COMPILED_FILE, content: Buffer.concat([checksumOf(code, compiled), compiled]) }]
}

/** Of Node, as the unit of `deploy/` has them: V8 takes compiled code only from a process with the same. */
export function unitFlags(root: string): string[] {
  const unit = readFileSync(join(root, 'deploy/nodewave-agent.service'), 'utf8')
  return /^ExecStart=\S+ (.*) \S+\.mjs /m.exec(unit)?.[1]?.split(' ') ?? []
}

/** What V8 hashes names with differs in each process, and the order of names in its data by that: with one seed, builds are equal. */
const SEED = '--hash-seed=1'
/** All functions at once. The flags are set back before V8 writes them down; it writes the name of the file down, too. */
const COMPILE = `const { readFileSync, writeFileSync } = process.getBuiltinModule('fs')
const { setFlagsFromString } = process.getBuiltinModule('v8')
const { Script } = process.getBuiltinModule('vm')
const [, , bundle, out] = process.argv
setFlagsFromString('--no-lazy')
const script = new Script(readFileSync(bundle, 'latin1'), { filename: ${JSON.stringify(CODE_FILE)} })
setFlagsFromString('--lazy')
setFlagsFromString('--hash-seed=0')
writeFileSync(out, script.createCachedData())
`

function compile(bundle: string, { node, flags }: { readonly node: string; readonly flags: readonly string[] }): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'nodewave-compile-'))
  try {
    writeFileSync(join(folder, 'compile.mjs'), COMPILE)
    execFileSync(node, [...flags, SEED, join(folder, 'compile.mjs'), bundle, join(folder, 'compiled')], { env: {} })
    return readFileSync(join(folder, 'compiled'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
