/** The checksums of all files of a release in one file, which a signature vouches for. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMessage, readPrivateKey, sign } from 'openpgp'

const NAME = 'SHA256SUMS'

/** @param signKey file of an armored OpenPGP key without passphrase; absent: nothing is signed. @returns the files that were written */
export async function writeChecksums(folder: string, signKey?: string): Promise<readonly string[]> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name).filter((name) => !name.startsWith(NAME) && !name.endsWith('.sha256'))
  const sums = join(folder, NAME)
  const text = names
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
    .join('')
  writeFileSync(sums, text)
  if (signKey === undefined) return [sums]
  writeFileSync(`${sums}.asc`, await signatureOf(text, readFileSync(signKey, 'utf8')))
  return [sums, `${sums}.asc`]
}

async function signatureOf(text: string, armoredKey: string): Promise<string> {
  const signingKeys = await readPrivateKey({ armoredKey })
  return sign({ message: await createMessage({ binary: Buffer.from(text) }), signingKeys, detached: true })
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
