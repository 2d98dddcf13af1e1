import { expect, test } from 'vitest'
import { Machine } from './support/machine.ts'

const PATH = '/etc/db/password'
const SECRET = 'tr0ub4dor-and-3'
const host = JSON.stringify({ files: [{ path: PATH, secret: true, mode: '0600' }] })
const secretOf = (content: string, path = PATH) => JSON.stringify({ files: { [path]: { content, hash: 'h' } } })

function filesWith(machine: Machine, text: string): [string, string][] {
  return Object.entries(machine.host.files.snapshot()).filter(([, file]) => file.includes(text))
}

/** Everything that leaves the host. */
function told({ node, logged }: Machine): string {
  return JSON.stringify([node.patches, node.annotations, logged])
}

test('a secret file gets its content from the Secret, and nothing but root can read a copy of it', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host, secret: secretOf(SECRET) })
  await machine.until('Applied')
  expect(machine.hostFiles()[PATH]).toBe(`600 0:0 ${SECRET}`)
  await machine.untilDigest(machine.assign({ host, secret: secretOf('another') }), 'Applied')
  expect(machine.hostFiles()[PATH]).toBe('600 0:0 another')
  const copies = [...filesWith(machine, SECRET), ...filesWith(machine, 'another')]
  expect(copies.filter(([, file]) => !file.startsWith('600 0:0'))).toEqual([])
  expect(told(machine)).not.toMatch(/tr0ub4dor|another/)
})

test('a secret that somebody changed on the host is repaired without the API server', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host, secret: secretOf(SECRET) })
  await machine.until('Applied')
  machine.node.secrets.clear()
  machine.host.files.put(PATH, 'changed')
  await machine.clock.runUntil(() => machine.hostFiles()[PATH]?.endsWith(SECRET) ?? false)
  expect(told(machine)).not.toContain(SECRET)
})

test.for<[string, string]>([
  ['is no JSON', `{"files": ${SECRET}`],
  ['is malformed', JSON.stringify({ files: { [PATH]: { content: SECRET } } })],
  ['has another file', secretOf(SECRET, '/etc/other')],
])('a secret document that %s is refused, and not quoted', async ([, secret]) => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host, secret })
  const status = await machine.until('RolledBack')
  expect(status.error?.reason).toBe('MalformedSecretDocument')
  expect(told(machine)).not.toContain(SECRET)
  expect(machine.hostFiles()[PATH]).toBeUndefined()
})

test('a secret that somebody exchanged in the cluster is refused by the digest', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host, secret: secretOf(SECRET) })
  for (const name of machine.node.secrets.keys()) machine.node.secrets.set(name, { secret: secretOf('exchanged') })
  await machine.clock.runUntil(() => machine.status?.error?.reason === 'DigestMismatch')
  expect(told(machine)).not.toContain('exchanged')
})
