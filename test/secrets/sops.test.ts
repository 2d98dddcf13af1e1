import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAgeKeys } from '../../src/controller/secrets/age-keys.ts'
import { decryptSops } from '../../src/controller/secrets/sops.ts'
import { keysOf as keysOfSource, readSops, valueAt } from '../../src/repo/sops-document.ts'
import { anAgeKey, encryptSops } from './encrypt-sops.ts'

async function keysOf(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-age-'))
  try {
    await writeFile(join(folder, 'keys'), text)
    return await readAgeKeys(join(folder, 'keys'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function decrypt(text: string, identity: string): Promise<string> {
  const document = readSops(Buffer.from(text))
  const keys = await keysOf(`# created\n${identity}\n`)
  const value = valueAt(decryptSops(document, await keys.open(document.keys)), ['db', 'password'])
  return Buffer.from(String(value), 'base64').toString()
}

test('a value is decrypted with any of the keys that it is for', async () => {
  const [a, b] = [await anAgeKey(), await anAgeKey()]
  const text = await encryptSops({ db: { password: 'tr0ub4dor', user: 'x' } }, [a.recipient, b.recipient])
  expect(await decrypt(text, a.identity)).toBe('tr0ub4dor')
  expect(await decrypt(text, b.identity)).toBe('tr0ub4dor')
})

test.each([
  ['db.password', 'tr0ub4dor'],
  [['db', 'password'], 'tr0ub4dor'],
  [['tls.crt'], 'certificate'],
  [['certificates', 'example.com', 'tls.key'], 'key'],
])('the key %j leads to its value, also past keys with dots', async (key, content) => {
  const { identity, recipient } = await anAgeKey()
  const values = {
    db: { password: 'tr0ub4dor' },
    'tls.crt': 'certificate',
    certificates: { 'example.com': { 'tls.key': 'key' } },
  }
  const document = readSops(Buffer.from(await encryptSops(values, [recipient])))
  const keys = await keysOf(identity)
  const value = valueAt(decryptSops(document, await keys.open(document.keys)), keysOfSource({ key }))
  expect(Buffer.from(String(value), 'base64').toString()).toBe(content)
})

test('a key that it is not for is refused, with the recipients that would do', async () => {
  const [a, b] = [await anAgeKey(), await anAgeKey()]
  const text = await encryptSops({ db: { password: 'tr0ub4dor' } }, [a.recipient])
  await expect(decrypt(text, b.identity)).rejects.toThrow(`no key of --age-key-file opens it; it is for ${a.recipient}`)
})

test.for<[string, (text: string) => string, string]>([
  [
    'an encrypted value',
    (text) => text.replace(/data:./, (found) => (found === 'data:A' ? 'data:B' : 'data:A')),
    'changed or moved',
  ],
  ['a value that is not encrypted', (text) => text.replace('{', '{"added":"x",'), 'its MAC is that of other values'],
  ['the time', (text) => text.replace('2026-11-22', '2026-11-23'), 'changed or moved'],
  ['the place of a value', (text) => text.replace('password', 'passw0rd'), 'changed or moved'],
])('a document of which somebody changed %s is refused', async ([, change, message]) => {
  const { identity, recipient } = await anAgeKey()
  const text = await encryptSops({ db: { password: 'tr0ub4dor' } }, [recipient])
  const error = await decrypt(change(text), identity).catch((thrown: Error) => thrown)
  expect(String(error)).toContain(message)
  expect(String(error)).not.toContain('tr0ub4dor')
})

test('a document is refused when it has a key twice', async () => {
  const text = await encryptSops({ db: { password: 'tr0ub4dor' } }, [(await anAgeKey()).recipient])
  expect(() => readSops(Buffer.from(text.replace('{', '{"sops":{},')))).toThrow('it is not one document of YAML or JSON')
})

test('a document is read when it has 80,000 values', async () => {
  const text = await encryptSops({ db: { password: 'tr0ub4dor' } }, [(await anAgeKey()).recipient])
  const values = Array.from({ length: 80_000 }, (_, n) => `"k${n}":"x",`).join('')
  expect(readSops(Buffer.from(text.replace('{', `{${values}`))).values.size).toBe(80_001)
})

test('a key file without a key, or with a damaged one, is refused and not quoted', async () => {
  await expect(keysOf('nothing')).rejects.toThrow('has no age key; make one with age-keygen')
  const { identity, recipient } = await anAgeKey()
  const document = readSops(Buffer.from(await encryptSops({ a: 'b' }, [recipient])))
  const damaged = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q')
  const keys = await keysOf(damaged)
  const error = await keys.open(document.keys).catch((thrown: Error) => thrown)
  expect(String(error)).toContain('is damaged')
  expect(String(error)).not.toContain(damaged.slice(20))
})

test('hashes are the same for one key and one text, and tell nothing without the key', async () => {
  const [a, b] = [await anAgeKey(), await anAgeKey()]
  const [one, same, other] = [await keysOf(a.identity), await keysOf(`${a.identity}\n${b.identity}`), await keysOf(b.identity)]
  expect(one.hashOf('x')).toBe(same.hashOf('x'))
  expect(one.hashOf('x')).not.toBe(one.hashOf('y'))
  expect(one.hashOf('x')).not.toBe(other.hashOf('x'))
})

test('a key that is commented out in the key file opens nothing', async () => {
  const [old, current] = [await anAgeKey(), await anAgeKey()]
  const document = readSops(Buffer.from(await encryptSops({ a: 'b' }, [old.recipient])))
  const keys = await keysOf(`# ${old.identity}\n${current.identity}\n`)
  await expect(keys.open(document.keys)).rejects.toThrow('no key of --age-key-file opens it')
  expect(keys.hashOf('x')).toBe((await keysOf(current.identity)).hashOf('x'))
})
