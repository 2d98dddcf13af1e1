import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createMessage, generateKey, readKey, readSignature, verify } from 'openpgp'
import { afterAll, expect, test } from 'vitest'
import { writeChecksums } from '../../scripts/image/checksums.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodewave-sums-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test('checksums name each file of the folder once, however often they are written, and a signature vouches for them', async () => {
  const out = join(folder, 'out')
  mkdirSync(join(out, 'sub'), { recursive: true })
  for (const name of ['b.rpm', 'a.deb', 'a.tar.gz.sha256']) writeFileSync(join(out, name), '')
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'release' }] })
  writeFileSync(join(folder, 'key.asc'), privateKey)

  expect((await writeChecksums(out)).map((path) => basename(path))).toEqual(['SHA256SUMS'])
  const written = await writeChecksums(out, join(folder, 'key.asc'))

  expect(written.map((path) => basename(path))).toEqual(['SHA256SUMS', 'SHA256SUMS.asc'])
  const text = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
  expect(text).toBe(`${EMPTY}  a.deb\n${EMPTY}  b.rpm\n`)
  const { signatures } = await verify({
    message: await createMessage({ binary: Buffer.from(text) }),
    signature: await readSignature({ armoredSignature: readFileSync(join(out, 'SHA256SUMS.asc'), 'utf8') }),
    verificationKeys: await readKey({ armoredKey: publicKey }),
  })
  expect(await signatures[0]?.verified).toBe(true)
})
