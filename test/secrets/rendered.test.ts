import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { NodeContent } from '../../src/protocol/digest.ts'
import { shownSecrets } from '../../src/protocol/secret-document.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { diffContent } from '../../src/render/diff-content.ts'
import { disruptionBetween } from '../../src/render/disruption.ts'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import { sealedHash } from '../../src/render/sealed-hash.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import type { FleetModel, OpenSecrets } from '../../src/repo/model.ts'
import { type AgeKey, anAgeKey, encryptSops } from './encrypt-sops.ts'

const SECRET = 'tr0ub4dor-and-3'
let key: AgeKey
let encrypted: string

beforeAll(async () => {
  key = await anAgeKey()
  encrypted = await encryptSops({ db: { password: SECRET } }, [key.recipient])
})

const document = (kind: string, name: string, spec: string) =>
  `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`

function load(files: Readonly<Record<string, string>> = {}) {
  const all = {
    'fleet.yaml': document('Fleet', 'fleet', '{}'),
    'pool.yaml': document('NodePool', 'workers', '{nodeSelector: {matchLabels: {}}, hostProfiles: [db]}'),
    'host.yaml': profile('contentFrom: {sopsFile: secrets/db.enc, key: db.password}'),
    'secrets/db.enc': encrypted,
    ...files,
  }
  return loadFleet(new Map(Object.entries(all).map(([path, text]) => [path, { kind: 'file', bytes: Buffer.from(text) }])))
}

const profile = (file: string) => document('HostProfile', 'db', `{files: [{path: /etc/db/password, ${file}}]}`)

function modelOf(files?: Readonly<Record<string, string>>): FleetModel {
  const { model, problems } = load(files)
  if (!model) throw new Error(problems.map(({ message }) => message).join('\n'))
  return model
}

const opened = (text: string): OpenSecrets => ({
  contentOf: () => Buffer.from(text),
  hashOf: (_source, path) => `h${Buffer.from(`${path}${text}`).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 7)}`,
})

const node = { name: 'n', labels: {}, arch: 'amd64', osImage: '', internalIP: '' }

function rendered(model: FleetModel) {
  const result = createRenderer(model).render('workers', node)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

test('a secret goes into a payload of its own, and into nothing else', () => {
  const { payloads, desired, content } = rendered({ ...modelOf(), secrets: opened(SECRET) })
  const [secret, ...others] = payloads.filter(({ data }) => JSON.stringify(data).includes(SECRET))
  expect(secret?.kind).toBe('secret')
  expect(others).toEqual([])
  expect(desired.SECRET_CONFIG).toBe(secret?.name)
  expect(JSON.stringify(desired)).not.toContain(SECRET)
  expect(JSON.parse(content.host ?? '').files).toEqual([{ mode: '0600', path: '/etc/db/password', secret: true }])
})

test('without a key the encrypted form stands for the secret', () => {
  const { content } = rendered(modelOf())
  expect(JSON.parse(content.secret ?? '')).toEqual({
    files: { '/etc/db/password': { hash: expect.stringMatching(/^sealed:[0-9a-f]{32}$/) } },
  })
})

test('without a key, the hash is of no use to whoever tries values out, nor to another process', () => {
  const form = JSON.parse(encrypted).db.password
  const [hash] = shownHashes(modelOf())
  for (const text of [form, `/etc/db/password\0${form}`, SECRET])
    expect(hash).not.toContain(createHash('sha256').update(text).digest('hex').slice(0, 32))
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', printsHashOf('x')])
  expect(stdout.toString()).toMatch(/^sealed:[0-9a-f]{32}$/)
  expect(stdout.toString()).not.toBe(sealedHash('x'))
})

test('without a key, the hash changes with the encrypted value, and stays when only the others of its file change', async () => {
  const another = await encryptSops({ db: { password: SECRET } }, [key.recipient])
  const more = JSON.stringify({ ...JSON.parse(encrypted), user: 'ada' })
  const [from, again, beside, other] = [{}, {}, { 'secrets/db.enc': more }, { 'secrets/db.enc': another }].map((files) =>
    shownHashes(modelOf(files)),
  )
  expect(again).toEqual(from)
  expect(beside).toEqual(from)
  expect(other).not.toEqual(from)
})

const printsHashOf = (text: string) =>
  `import { sealedHash } from ${JSON.stringify(new URL('../../src/render/sealed-hash.ts', import.meta.url).href)}; process.stdout.write(sealedHash('${text}'))`

const shownHashes = (model: FleetModel) => Object.values(shownSecrets(rendered(model).content.secret))

const contentWith = (text: string): NodeContent => rendered({ ...modelOf(), secrets: opened(text) }).content

test('a change of a secret shows as a change of its hash, and disturbs as a change of the file would', () => {
  const [from, to] = [contentWith(SECRET), contentWith('another-secret')]
  const changes = diffContent(from, to)
  expect(changes.map(({ path }) => path)).toEqual([['secrets', '/etc/db/password']])
  expect(JSON.stringify(changes)).not.toMatch(/tr0ub4dor|another/)
  expect(disruptionBetween(from, to).disruption).toBe('none')
  expect(diffContent(from, contentWith(SECRET))).toEqual([])
})

test('the fingerprint of a pool changes with the secrets of its profiles and overrides', () => {
  const override = document(
    'NodeOverride',
    'o',
    '{node: n, files: [{path: /etc/o, contentFrom: {sopsFile: secrets/db.enc, key: db.password}}]}',
  )
  for (const files of [{}, { 'host.yaml': profile('content: x'), 'o.yaml': override }]) {
    const model = modelOf(files)
    const fingerprint = (text: string) => poolFingerprint({ ...model, secrets: opened(text) }, 'workers')
    expect(fingerprint(SECRET)).toBe(fingerprint(SECRET))
    expect(fingerprint(SECRET)).not.toBe(fingerprint('another-secret'))
  }
})

test.for<[string, string, string]>([
  ['is not there', 'sopsFile: secrets/no.yaml', 'the repository has no file "secrets/no.yaml"'],
  ['has no key of that name', 'sopsFile: secrets/db.enc, key: db.user', '"secrets/db.enc" has no value at "db.user"'],
  ['is encrypted value by value', 'sopsFile: secrets/db.enc', '"secrets/db.enc" is not encrypted as a whole'],
  ['has no key of a list', 'sopsFile: secrets/db.enc, key: [db.password]', '"secrets/db.enc" has no value at "db.password"'],
  ['is not encrypted', 'sopsFile: secrets/plain.yaml, key: db', 'cannot be used as a secret: it is not encrypted with SOPS'],
  ['has no MAC', 'sopsFile: secrets/no-mac.yaml, key: db', 'cannot be used as a secret: it has no MAC'],
  ['is for other keys than age', 'sopsFile: secrets/pgp.yaml, key: db', 'cannot be used as a secret: it has no age recipient'],
  ['is no YAML', 'sopsFile: secrets/text, key: db', 'cannot be used as a secret: it is not one document of YAML'],
  ['is of another format', 'sopsFile: secrets/dotenv, key: db', 'cannot be used as a secret: it is not one document of YAML'],
  ['is several documents', 'sopsFile: secrets/two.yaml, key: db', 'cannot be used as a secret: it is not one document of YAML'],
  ['is of a key of a prototype', 'sopsFile: secrets/db.enc, key: constructor.name', 'has no value at "constructor.name"'],
])('validate refuses a secret that %s', ([, source, message]) => {
  const { mac, ...rest } = JSON.parse(encrypted).sops
  const { problems } = load({
    'host.yaml': profile(`contentFrom: {${source}}`),
    'secrets/plain.yaml': 'db: hunter2\n',
    'secrets/no-mac.yaml': JSON.stringify({ ...JSON.parse(encrypted), sops: rest }),
    'secrets/pgp.yaml': JSON.stringify({ ...JSON.parse(encrypted), sops: { ...rest, mac, age: [], pgp: [{}] } }),
    'secrets/text': '{[',
    'secrets/dotenv': 'DB=ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]\nsops_mac=x\n',
    'secrets/two.yaml': `${encrypted}\n---\n${encrypted}\n`,
  })
  const told = problems.map((problem) => problem.message).join('\n')
  expect(told).toContain(message)
  expect(told).not.toContain('hunter2')
})

test('a file has one source', () => {
  const { problems } = load({ 'host.yaml': profile('content: x, contentFrom: {sopsFile: secrets/db.enc, key: db.password}') })
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('expected one of content, from, contentFrom and download'),
  ])
})
