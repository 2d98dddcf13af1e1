import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  checkSignature,
  nextCounter,
  readSigningKey,
  readTrustedKey,
  signAssignment,
} from '../../../src/protocol/assignment-signature.ts'
import { type DesiredConfig, formatDesiredConfig, parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { Machine, type MachineOptions } from '../support/machine.ts'

const KEYS = '/etc/nodewave/trusted-keys'
const MINUTE = 60_000

function aKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const by = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return { by, pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

const [OURS, NEXT, FOREIGN] = [aKey(), aKey(), aKey()]

interface Signing {
  readonly key?: typeof OURS
  readonly node?: string
  readonly counter?: number
}

function signed(desired: DesiredConfig, { key = OURS, node = 'u1', counter = 1 }: Signing = {}): string {
  return formatDesiredConfig(signAssignment({ ...desired, COUNTER: counter }, { node, by: key.by }))
}

function trusting(keys = [OURS], options: MachineOptions = {}): Machine {
  const machine = new Machine(options)
  for (const { by, pem } of keys) machine.host.files.put(`${KEYS}/${by.id}.pem`, pem)
  machine.start()
  return machine
}

async function refusalOf(machine: Machine, text: string | null) {
  machine.annotate(text)
  const { error } = await machine.until('RolledBack')
  return error
}

test('agent applies what a trusted key signed for its Node', async () => {
  const machine = trusting()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }))
  await machine.until('Applied')
  expect(flagsOf(machine)).toContain('--v=3')
})

test.each([
  ['no signature', '{"KUBELET_OPTS":"--v=3"}', 'SignatureMissing', 'it has no SIGNATURE'],
  [
    'a signature of a key that is not trusted',
    signed({ KUBELET_OPTS: '--v=3' }, { key: FOREIGN }),
    'SignatureInvalid',
    'signed it, and',
  ],
  [
    'a signature for another Node',
    signed({ KUBELET_OPTS: '--v=3' }, { node: 'u2' }),
    'SignatureInvalid',
    'is meant for another Node',
  ],
  [
    'another value than was signed',
    signed({ KUBELET_OPTS: '--v=3' }).replace('--v=3', '--v=4'),
    'SignatureInvalid',
    'it was changed',
  ],
  [
    'a key more than was signed',
    signed({ KUBELET_OPTS: '--v=3' }).replace('{', '{"GRANT":"reboot",'),
    'SignatureInvalid',
    'it was changed',
  ],
  ['an unknown key more', signed({ KUBELET_OPTS: '--v=3' }).replace('{', '{"NEW":"x",'), 'SignatureInvalid', 'it was changed'],
  [
    'a key less than was signed',
    withoutGrant(signed({ GRANT: 'none', KUBELET_OPTS: '--v=3' })),
    'SignatureInvalid',
    'it was changed',
  ],
  [
    'another counter',
    signed({ KUBELET_OPTS: '--v=3' }).replace('"COUNTER":1', '"COUNTER":9'),
    'SignatureInvalid',
    'it was changed',
  ],
  [
    'a value that is an object',
    signed({ KUBELET_OPTS: '--v=3' }).replace('{', '{"NEW":{},'),
    'SignatureInvalid',
    'neither text nor number',
  ],
  ['a signature that is none', '{"SIGNATURE":"x"}', 'SignatureInvalid', 'its SIGNATURE is malformed'],
  ['a signature that is too long', `{"SIGNATURE":"${'a'.repeat(257)}"}`, 'MalformedDesiredConfig', 'SIGNATURE'],
  ['a ConfigMap without a digest', signed({ KUBELET_CONFIG: 'c' }), 'UntrustedPayload', 'nobody signed what is in that'],
  ['another key by its name', impersonating(), 'SignatureInvalid', 'does not match'],
])('agent with trusted keys refuses an assignment with %s, and leaves the host as it is', async (_, text, reason, message) => {
  const machine = trusting()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  const error = await refusalOf(machine, text)
  expect(error).toMatchObject({ reason, message: expect.stringContaining(message) })
  expect(machine.hostFiles()).toEqual(before)
})

function withoutGrant(text: string): string {
  const { GRANT: _, ...rest } = JSON.parse(text)
  return JSON.stringify(rest)
}

/** Signed by a key of one's own, under the id of the trusted one. */
function impersonating(): string {
  return signed({ KUBELET_OPTS: '--v=3' }, { key: FOREIGN }).replace(FOREIGN.by.id, OURS.by.id)
}

test.each([
  ['an older one', 4],
  ['another one with the same counter', 5],
])('agent refuses %s than what it accepted last, also after a restart', async (_, counter) => {
  const machine = trusting()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 }))
  await machine.until('Applied')
  machine.kill()
  machine.start()
  const error = await refusalOf(machine, signed({ KUBELET_OPTS: '--v=4' }, { counter }))
  expect(error).toEqual({
    reason: 'AssignmentReplayed',
    message: `failed to load config: refuse the desired-config: its COUNTER is ${counter}, and one with 5 was accepted before`,
  })
  expect(flagsOf(machine)).toContain('--v=3')
})

test('agent goes back to what it accepted last when that stands there again', async () => {
  const machine = trusting()
  const last = signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 })
  machine.annotate(last)
  await machine.until('Applied')
  await refusalOf(machine, '{}')
  machine.annotate(last)
  await machine.until('Applied')
})

test('agent takes a newer one after it refused a replay', async () => {
  const machine = trusting()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 }))
  await machine.until('Applied')
  await refusalOf(machine, signed({ KUBELET_OPTS: '--v=4' }, { counter: 4 }))
  machine.annotate(signed({ KUBELET_OPTS: '--v=5' }, { counter: 6 }))
  await machine.until('Applied')
})

test('an assignment of a Node that was registered again begins with any counter, and what was meant for the former one is refused', async () => {
  const machine = trusting()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 }))
  await machine.until('Applied')
  machine.node.registerAgain('u2')
  expect(await refusalOf(machine, signed({ KUBELET_OPTS: '--v=9' }, { counter: 9 }))).toMatchObject({
    reason: 'SignatureInvalid',
  })
  machine.annotate(signed({ KUBELET_OPTS: '--v=4' }, { node: 'u2', counter: 2 }))
  await machine.until('Applied')
})

test('what a Node had before it was registered again is refused on it, though the host has it already', async () => {
  const machine = trusting()
  const former = signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 })
  machine.annotate(former)
  await machine.until('Applied')
  machine.node.registerAgain('u2')
  await machine.clock.advance(MINUTE)
  expect(await refusalOf(machine, former)).toMatchObject({ reason: 'SignatureInvalid' })
  expect(flagsOf(machine)).toContain('--v=3')
})

test('agent accepts two keys while they are exchanged, and the old one no more when it is gone', async () => {
  const machine = trusting([OURS, NEXT])
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { counter: 1 }))
  await machine.until('Applied')
  machine.annotate(signed({ KUBELET_OPTS: '--v=4' }, { key: NEXT, counter: 2 }))
  await machine.clock.runUntil(() => flagsOf(machine).includes('--v=4'))
  await machine.until('Applied')
  await machine.host.files.remove(`${KEYS}/${OURS.by.id}.pem`)
  const error = await refusalOf(machine, signed({ KUBELET_OPTS: '--v=5' }, { counter: 3 }))
  expect(error).toMatchObject({ reason: 'SignatureInvalid' })
})

test('an old assignment signed by the old key is a replay, after one by the new key', async () => {
  const machine = trusting([OURS, NEXT])
  const old = signed({ KUBELET_OPTS: '--v=3' }, { counter: 1 })
  machine.annotate(old)
  await machine.until('Applied')
  machine.annotate(signed({ KUBELET_OPTS: '--v=4' }, { key: NEXT, counter: 2 }))
  await machine.clock.runUntil(() => flagsOf(machine).includes('--v=4'))
  await machine.until('Applied')
  expect(await refusalOf(machine, old)).toMatchObject({ reason: 'AssignmentReplayed' })
})

test('agent with trusted keys stays as it is when the assignment is removed, and lets go once the keys are gone', async () => {
  const machine = trusting()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }))
  await machine.until('Applied')
  expect(await refusalOf(machine, null)).toEqual({
    reason: 'SignatureMissing',
    message:
      'failed to load config: refuse the desired-config: it was removed, which nobody can sign; to let go of the host, remove its trusted keys, then: kubectl annotate --overwrite node a nodewave.io/desired-config={}, and when that is Applied, remove it',
  })
  expect(flagsOf(machine)).toContain('--v=3')
  await machine.host.files.removeTree(KEYS)
  machine.annotate('{}')
  await machine.until('Applied')
  machine.annotate(null)
  await machine.until('Reverted')
})

test('agent trusts nobody when the folder of keys is empty', async () => {
  const machine = trusting()
  await machine.host.files.remove(`${KEYS}/${OURS.by.id}.pem`)
  expect(await refusalOf(machine, signed({ KUBELET_OPTS: '--v=3' }))).toMatchObject({
    reason: 'SignatureInvalid',
    message: expect.stringContaining('this host trusts none'),
  })
})

test.each([
  ['others may write it', OURS.pem, { mode: 0o666 }],
  ['it belongs to somebody else', OURS.pem, { uid: 1000 }],
  ['it is no key', 'nonsense', {}],
  ['it is a private key', OURS.by.key.export({ type: 'pkcs8', format: 'pem' }).toString(), {}],
  ['it is of another type', generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(), {}],
])('agent applies nothing while a trusted key cannot be used because %s, and goes on when it can', async (_, pem, options) => {
  const machine = trusting([])
  machine.host.files.put(`${KEYS}/a.pem`, pem, options)
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }))
  const { error } = await machine.until('Staging')
  expect(error?.reason).toBe('TrustedKeysUnreadable')
  machine.host.files.put(`${KEYS}/a.pem`, OURS.pem, { mode: 0o644, uid: 0 })
  await machine.until('Applied')
})

test('a crash of the agent anywhere while it accepts an assignment neither loses nor repeats it', async () => {
  const text = signed({ KUBELET_OPTS: '--v=3' }, { counter: 5 })
  for (let effects = 1; effects <= 8; effects += 1) {
    const machine = new Machine()
    machine.host.files.put(`${KEYS}/a.pem`, OURS.pem)
    machine.annotate(text)
    machine.start({ afterEffect: effects })
    await machine.clock.advance(10_000)
    machine.kill()
    machine.start()
    await machine.until('Applied')
    expect(await refusalOf(machine, signed({ KUBELET_OPTS: '--v=4' }, { counter: 4 }))).toMatchObject({
      reason: 'AssignmentReplayed',
    })
  }
})

test('agent accepts nothing while it cannot tell what it accepted last', async () => {
  const machine = trusting()
  machine.host.files.put('/var/lib/nodewave/meta/accepted.json', 'torn')
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }))
  expect((await machine.until('Staging')).error?.reason).toBe('AcceptedUnreadable')
  await machine.host.files.remove('/var/lib/nodewave/meta/accepted.json')
  await machine.until('Applied')
})

test('agent without trusted keys takes signed and unsigned assignments alike', async () => {
  const machine = new Machine()
  machine.start()
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { key: FOREIGN, node: 'other' }))
  await machine.until('Applied')
  machine.annotate('{"KUBELET_OPTS":"--v=4"}')
  await machine.clock.runUntil(() => flagsOf(machine).includes('--v=4'))
})

test('an assignment that is signed once more restarts nothing', async () => {
  const machine = new Machine()
  machine.start()
  machine.annotate('{"KUBELET_OPTS":"--v=3"}')
  await machine.until('Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.host.files.put(`${KEYS}/a.pem`, OURS.pem)
  const again = signed({ KUBELET_OPTS: '--v=3' })
  machine.annotate(again)
  await machine.clock.runUntil(() => machine.currentConfig === again)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  expect(machine.status?.phase).toBe('Applied')
  await machine.clock.advance(MINUTE)
})

const YEAR = 366 * 86_400_000

test.each([
  [undefined, undefined, 1000],
  [10, undefined, 1000],
  [1000, undefined, 1001],
  [5000, undefined, 5001],
  [Number.MAX_SAFE_INTEGER, undefined, 1000],
  [undefined, 5000, 5001],
  [5000, 4000, 5001],
  [4000, 5000, 5001],
  // A clock that was ten years ahead.
  [1000, 10 * YEAR, 10 * YEAR + 1],
  [10 * YEAR + 1, 10 * YEAR, 10 * YEAR + 2],
  // What an assignment says of the future alone is a typing error, what a status says of the next 10,000 years a forgery.
  [10 * YEAR, 5000, 5001],
  [1000, 9_999 * YEAR, 9_999 * YEAR + 1],
  [1000, 10_000 * YEAR + 1000, 1001],
  [1000, Number.MAX_SAFE_INTEGER, 1001],
  [undefined, -5, 1000],
])('the counter after %s, where the agent accepted %s, is %s at 1000', (assigned, accepted, expected) => {
  expect(nextCounter({ assigned, accepted }, 1000)).toBe(expected)
})

test('a forged counter leaves room for every later one, at any pace of assignments', () => {
  let now = 1000
  let accepted = now + 10_000 * YEAR - 1
  for (let index = 0; index < 1000; index += 1) {
    const counter = nextCounter({ assigned: accepted, accepted }, now)
    expect(counter).toBe(accepted + 1)
    accepted = counter
    now += 1
  }
})

test('agent with trusted keys takes what follows the counter that its status names, ten years ahead of all clocks', async () => {
  const machine = trusting()
  const ahead = machine.clock.now() + 10 * YEAR
  machine.annotate(signed({ KUBELET_OPTS: '--v=3' }, { counter: ahead }))
  await machine.until('Applied')
  const assigned = machine.clock.now()
  expect(await refusalOf(machine, signed({ KUBELET_OPTS: '--v=4' }, { counter: assigned }))).toMatchObject({
    reason: 'AssignmentReplayed',
  })
  const counter = nextCounter({ assigned, accepted: machine.status?.counter }, machine.clock.now())
  machine.annotate(signed({ KUBELET_OPTS: '--v=4' }, { counter }))
  await machine.until('Applied')
  expect(flagsOf(machine)).toContain('--v=4')
})

test('a signature survives being written and read', () => {
  const text = signed({ KUBELET_OPTS: '--v=3 "ü"', POOL: 'workers' }, { counter: 7 })
  expect(formatDesiredConfig(parseDesiredConfig(text))).toBe(text)
  expect(checkSignature(text, { node: 'u1', keys: [readTrustedKey(OURS.pem)] })).toEqual({ counter: 7 })
})

function flagsOf(machine: Machine): string {
  return machine.host.files.text('/etc/default/kubelet') ?? ''
}
