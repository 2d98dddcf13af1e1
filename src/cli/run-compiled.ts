import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

export const CODE_FILE = 'nodewave-agent.js'
/** The checksum, then the compiled code. */
export const COMPILED_FILE = 'nodewave-agent.compiled'
const CHECKSUM_BYTES = 32

/** Runs the code of `folder`. Compiled code that another Node, other flags or another text made is not used: V8 compiles as always. */
export function runCompiled(folder: string): void {
  const code = readFileSync(join(folder, CODE_FILE))
  const cachedData = compiledCode(join(folder, COMPILED_FILE), code)
  const filename = join(folder, CODE_FILE)
  // The bundle is ASCII, which V8 keeps in one byte a character.
  new Script(code.toString('latin1'), { filename, ...(cachedData && { cachedData }) }).runInThisContext()
}

/** V8 checks version and flags, but of the text only its length, and of its own data nothing: a damaged file would run. */
export function checksumOf(code: Uint8Array, compiled: Uint8Array): Buffer {
  return createHash('sha256').update(code).update(compiled).digest()
}

function compiledCode(path: string, code: Uint8Array): Buffer | undefined {
  const file = contentOf(path)
  const [checksum, compiled] = [file?.subarray(0, CHECKSUM_BYTES), file?.subarray(CHECKSUM_BYTES)]
  return checksum && compiled && checksumOf(code, compiled).equals(checksum) ? compiled : undefined
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
