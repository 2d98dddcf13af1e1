/** Files that a real SOPS made, with the commands in `made-by-sops/make.sh`: our own encryptor could be wrong in the same way as what decrypts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAgeKeys } from '../../src/controller/secrets/age-keys.ts'
import { decryptSops } from '../../src/controller/secrets/sops.ts'
import { complaintAbout, keysOf, readSops, valueAt } from '../../src/repo/sops-document.ts'

const folder = join(import.meta.dirname, 'made-by-sops')
const bytesOf = (file: string): Uint8Array => readFileSync(join(folder, file))

async function contentOf(
  file: string,
  { key, identity = 'first' }: { key?: string | string[]; identity?: string },
): Promise<string> {
  const source = { sopsFile: file, ...(key !== undefined && { key }) }
  expect(complaintAbout(bytesOf(file), source)).toBeUndefined()
  const document = readSops(bytesOf(file))
  const keys = await readAgeKeys(join(folder, `${identity}.key`))
  const value = valueAt(decryptSops(document, await keys.open(document.keys)), keysOf(source))
  return Buffer.from(String(value), 'base64').toString('latin1')
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

test.each([
  ['values.yaml.enc', 'db.password', 'tr0ub4dor-and-3'],
  ['values.yaml.enc', 'db.text', 'first line\nsecond line\n'],
  ['values.yaml.enc', 'db.unicode', latin1('grün 🌱 "quoted"\ttab')],
  ['values.yaml.enc', 'db.looks_encrypted', 'ENC[no]'],
  ['values.yaml.enc', 'ports.443', 'https'],
  ['values.json.enc', 'db.password', 'tr0ub4dor-and-3'],
  ['values.json.enc', 'db.2', 'a'],
  ['partial.yaml.enc', 'db.password', 'tr0ub4dor-and-3'],
  ['partial.yaml.enc', 'db.text', 'first line\nsecond line\n'],
  ['dotted.yaml.enc', ['tls.crt'], 'a certificate'],
  ['dotted.yaml.enc', ['sites', 'example.com', 'tls.key'], 'a key'],
  ['whole.enc', undefined, '\0\xff\r\n\tENC[x]\n'],
])('%s has the content at %s that SOPS was given', async (file, key, content) => {
  for (const identity of ['first', 'second'])
    expect(await contentOf(file, { ...(key !== undefined && { key }), identity })).toBe(content)
})

test('a file that was edited has the new text', async () => {
  expect(await contentOf('edited.yaml.enc', { key: 'db.password' })).toBe('correct-horse')
  expect(await contentOf('edited.yaml.enc', { key: 'db.text', identity: 'second' })).toBe('first line\nsecond line\n')
})

test('a file that was rotated is opened by the recipient that is left, and by no other', async () => {
  expect(await contentOf('rotated.yaml.enc', { key: 'db.password' })).toBe('tr0ub4dor-and-3')
  await expect(contentOf('rotated.yaml.enc', { key: 'db.password', identity: 'second' })).rejects.toThrow(
    'no key of --age-key-file opens it; it is for age1',
  )
})

test.each([
  ['env.enc', 'it is not one document of YAML or JSON'],
  ['ini.enc', 'it is not one document of YAML or JSON'],
  ['two.yaml.enc', 'it is not one document of YAML or JSON'],
  ['mac-only.yaml.enc', 'it has mac_only_encrypted: true'],
])('%s is refused, and why is told', (file, message) => {
  expect(complaintAbout(bytesOf(file), { sopsFile: file, key: 'db.password' })?.message).toContain(message)
})

test.each([
  ['db.port', 'has no encrypted text at "db.port"'],
  ['db.empty', 'has no encrypted text at "db.empty"'],
  ['db.none', 'has no encrypted text at "db.none"'],
  ['db', 'has no encrypted text at "db"'],
  ['hosts', 'has no encrypted text at "hosts"'],
  ['db.nothing', 'has no value at "db.nothing"'],
])('what is no text cannot be the content of a file: %s', (key, message) => {
  expect(complaintAbout(bytesOf('values.yaml.enc'), { sopsFile: 'values.yaml.enc', key })?.message).toContain(message)
})

test.each([
  ['partial.yaml.enc', '9007199254740993', '9007199254740992'],
  ['partial.yaml.enc', '"off": false', '"off": true'],
  ['values.yaml.enc', '"10": b', '"10": c'],
])('%s of which somebody changed a value that is not encrypted is refused: %s', async (file, before, after) => {
  const text = Buffer.from(bytesOf(file)).toString()
  expect(text).toContain(before)
  const document = readSops(Buffer.from(text.replace(before, after)))
  const dataKey = await (await readAgeKeys(join(folder, 'first.key'))).open(document.keys)
  expect(() => decryptSops(document, dataKey)).toThrow('its MAC is that of other values')
})
