import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTrustedKeys } from '../../src/gitsync/signatures/trusted-keys.ts'
import type { Trust } from '../../src/gitsync/signatures/verify-object.ts'

/** Made by `make.sh` in it, with real git, gpg and ssh-keygen. */
const FIXTURES = join(import.meta.dirname, 'fixtures/signatures')

/** A commit or tag as it is stored. */
export function signedObject(name: string): Buffer {
  return readFileSync(join(FIXTURES, 'objects', name))
}

/** The public keys that may be trusted. */
export function signingKeys(): readonly string[] {
  return readdirSync(join(FIXTURES, 'keys')).filter((name) => !/1024|before-revocation/.test(name))
}

/** The line of allowed signers, or the block, of one key. */
export function keyText(name: string, options = ''): string {
  const text = readFileSync(join(FIXTURES, 'keys', name), 'utf8')
  const [type, base64, principal] = text.trim().split(' ')
  return name.endsWith('.pub') ? `${principal} ${options} ${type} ${base64}\n` : text
}

/** Trust in these keys, read from a folder with a file for each, and one with `more`. */
export async function trusting(names: readonly string[], now: number, options = '', more?: string): Promise<Trust> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-keys-'))
  try {
    for (const name of names) await writeFile(join(folder, name), keyText(name, options))
    if (more !== undefined) await writeFile(join(folder, 'more'), more)
    return { keys: await readTrustedKeys(folder), now }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
