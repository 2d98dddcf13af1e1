import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAgeKeys } from '../../src/controller/secrets/age-keys.ts'
import { openSecrets } from '../../src/controller/secrets/open-secrets.ts'
import type { TakenValue } from '../../src/protocol/repo-snapshot.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import { anAgeKey, encryptSops } from './encrypt-sops.ts'

const FILE = { sopsFile: 'secrets/db.enc', key: 'db.password' }
const REF = { secretRef: { name: 'tls', key: 'tls.key' } }

const document = (kind: string, name: string, spec: string) =>
  `apiVersion: nodewave.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`

/** Each source is that of one file on the hosts. */
function modelOf(encrypted: string, ...sources: readonly object[]): FleetModel {
  const files = sources.map((contentFrom, index) => ({ path: `/etc/secret-${index}`, contentFrom }))
  const texts = {
    'fleet.yaml': document('Fleet', 'fleet', '{}'),
    'host.yaml': document('HostProfile', 'db', JSON.stringify({ files })),
    'secrets/db.enc': encrypted,
  }
  const { model, problems } = loadFleet(
    new Map(Object.entries(texts).map(([path, text]) => [path, { kind: 'file', bytes: Buffer.from(text) }])),
  )
  if (!model) throw new Error(problems.map(({ message }) => message).join('\n'))
  return model
}

const takenOf = (...refs: readonly string[]) =>
  new Map(refs.map((ref): [string, TakenValue] => [ref, { bytes: Buffer.from(`of ${ref}`), hash: `hash of ${ref}` }]))

async function keysOf(identity: string) {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-age-'))
  try {
    await writeFile(join(folder, 'keys'), identity)
    return await readAgeKeys(join(folder, 'keys'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('an encrypted file and a Secret of the cluster are opened side by side', async () => {
  const { identity, recipient } = await anAgeKey()
  const model = modelOf(await encryptSops({ db: { password: 'tr0ub4dor' } }, [recipient]), FILE, REF)
  const keys = await keysOf(identity)
  const { secrets, problems } = await openSecrets(model, { keys, taken: takenOf('tls/tls.key') })
  expect(problems).toEqual([])
  expect([FILE, REF].map((source) => Buffer.from(secrets.contentOf(source)).toString())).toEqual(['tr0ub4dor', 'of tls/tls.key'])
  expect(secrets.hashOf(REF, '/etc/secret-1')).toBe('hash of tls/tls.key')
  expect(secrets.hashOf(FILE, '/etc/secret-0')).toBe(keys.hashOf('/etc/secret-0\0dHIwdWI0ZG9y'))
})

test('a file without a key, and a Secret that was not taken, are problems with their places', async () => {
  const { recipient } = await anAgeKey()
  const model = modelOf(await encryptSops({ db: { password: 'tr0ub4dor' } }, [recipient]), FILE, REF)
  const place = (column: number) => `host.yaml:4:${column}`
  const [file, ref] = [
    `${place(41)}: failed to decrypt "secrets/db.enc": the controller has no key; start it with --age-key-file`,
    `${place(130)}: key "tls.key" of Secret "tls" is not kept with this revision`,
  ]
  expect((await openSecrets(model, {})).problems).toEqual([file, ref])
  expect((await openSecrets(model, { taken: takenOf('tls/other') })).problems).toEqual([file, ref])
  expect((await openSecrets(model, { taken: takenOf('tls/tls.key') })).problems).toEqual([file])
})

test.each([
  ['the encrypted file', FILE, 'no secret is open for "secrets/db.enc"'],
  ['the Secret', REF, 'no secret is open for "tls"'],
])('the content of %s that could not be opened is an error', async (_, source, message) => {
  const { recipient } = await anAgeKey()
  const model = modelOf(await encryptSops({ db: { password: 'tr0ub4dor' } }, [recipient]), FILE, REF)
  const { secrets } = await openSecrets(model, {})
  expect(() => secrets.contentOf(source)).toThrow(new RangeError(message))
})
