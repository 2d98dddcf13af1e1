import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HashKey } from '../../src/controller/secrets/hash-key.ts'
import { SecretTaker, type Taken } from '../../src/controller/secrets/secret-taker.ts'
import { FakeKube, refusal } from '../controller/fake-kube.ts'

const SECRETS = '/api/v1/namespaces/nodewave-revisions/secrets'
const where = { file: 'host.yaml', line: 3, column: 7 }
const ref = (name: string, key: string) => ({ name, key, where })

function aTaker(data: Readonly<Record<string, Readonly<Record<string, string>>>>, key = Buffer.alloc(32, 7)) {
  const secrets = new Map(
    Object.entries(data).map(([name, texts]) => {
      const encoded = Object.entries(texts).map(([at, text]) => [at, Buffer.from(text).toString('base64')])
      return [name, { name, namespace: 's', resourceVersion: '1', data: Object.fromEntries(encoded) }]
    }),
  )
  return new SecretTaker({ namespace: 'nodewave-secrets', secrets, key: { get: async () => key } })
}

const textsOf = (taken: Taken) =>
  taken.kind === 'taken' ? [...taken.values].map(([at, { bytes }]) => [at, Buffer.from(bytes).toString()]) : taken.problems

test('values are taken as they are, each once', async () => {
  const refs = [ref('db', 'password'), ref('tls', 'tls.key'), ref('db', 'password')]
  const taken = await aTaker({ db: { password: 'x\0\n' }, tls: { 'tls.key': 'y' } }).take(refs)
  expect(textsOf(taken)).toEqual([
    ['db/password', 'x\0\n'],
    ['tls/tls.key', 'y'],
  ])
})

test('the id is equal for equal values, and another one for other values, keys of hashes, and places', async () => {
  const idOf = async (taker: SecretTaker, at = ref('db', 'a')) => {
    const taken = await taker.take([at])
    return taken.kind === 'taken' ? taken.id : ''
  }
  const same = await idOf(aTaker({ db: { a: 'x' } }))
  expect(same).toMatch(/^[0-9a-f]{8}$/)
  expect(await idOf(aTaker({ db: { a: 'x', b: 'z' } }))).toBe(same)
  expect(await idOf(aTaker({ db: { a: 'y' } }))).not.toBe(same)
  expect(await idOf(aTaker({ db: { a: 'x' } }, Buffer.alloc(32, 8)))).not.toBe(same)
  expect(await idOf(aTaker({ db: { a: 'x', b: 'x' } }), ref('db', 'b'))).not.toBe(same)
})

test('a hash is of no use to whoever tries values out', async () => {
  const taken = await aTaker({ db: { pin: '1234' } }).take([ref('db', 'pin')])
  const shown = taken.kind === 'taken' ? JSON.stringify([taken.id, taken.values.get('db/pin')?.hash]) : ''
  for (const text of ['1234', 'db/pin\x001234'])
    expect(shown).not.toContain(createHash('sha256').update(text).digest('hex').slice(0, 8))
})

test.each([
  [
    'a Secret that is missing',
    ref('none', 'a'),
    'host.yaml:3:7: Secret "none" is missing in namespace "nodewave-secrets"; create it there',
  ],
  [
    'a key that is missing',
    ref('db', 'none'),
    'host.yaml:3:7: Secret "db" in namespace "nodewave-secrets" has no key "none"; add it there',
  ],
  [
    'a key of a prototype',
    ref('db', 'constructor'),
    'host.yaml:3:7: Secret "db" in namespace "nodewave-secrets" has no key "constructor"; add it there',
  ],
  [
    'more than one Secret holds',
    ref('db', 'large'),
    'the values of Secrets that the commit names have 716801 bytes; expected at most 716800',
  ],
])('%s is told', async (_, at, problem) => {
  expect(textsOf(await aTaker({ db: { a: 'x', large: 'x'.repeat(700 * 1024 + 1) } }).take([at]))).toEqual([problem])
})

test('as much as one Secret holds is taken', async () => {
  const taken = await aTaker({ db: { large: 'x'.repeat(700 * 1024) } }).take([ref('db', 'large')])
  expect(taken.kind).toBe('taken')
})

test('the key of the hashes is made once, of random bytes, and read by the next process', async () => {
  const kube = new FakeKube()
  const keyOf = () => new HashKey({ kube, namespace: 'nodewave-revisions' }).get()
  const key = await keyOf()
  expect(key.length).toBe(32)
  expect(key.equals(Buffer.alloc(32))).toBe(false)
  expect((await keyOf()).equals(key)).toBe(true)
  expect([...kube.objects.keys()]).toEqual([`${SECRETS}/nodewave-hash-key`])
  expect(kube.objects.get(`${SECRETS}/nodewave-hash-key`)).toMatchObject({ immutable: true })
})

test('a key of the hashes that the server refuses to give is not made', async () => {
  const kube = new FakeKube()
  kube.failures.push({ on: 'GET', error: refusal(403, 'Forbidden') })
  await expect(new HashKey({ kube, namespace: 'nodewave-revisions' }).get()).rejects.toThrow('refused: Forbidden')
  expect(kube.requests).toEqual([`GET ${SECRETS}/nodewave-hash-key`])
})

test('a key of the hashes that is short is refused', async () => {
  const kube = new FakeKube()
  await kube.create(SECRETS, { metadata: { name: 'nodewave-hash-key' }, data: { key: Buffer.from('short').toString('base64') } })
  await expect(new HashKey({ kube, namespace: 'nodewave-revisions' }).get()).rejects.toThrow('has no key of 32 bytes')
})
