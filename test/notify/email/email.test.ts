import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseNotificationSettings } from '../../../src/notify/channel-settings.ts'
import { channelsOf } from '../../../src/notify/channels.ts'
import { emailTo } from '../../../src/notify/email/email.ts'
import { emailSettings } from '../../../src/notify/email/email-settings.ts'
import { loadNodemailer } from '../../../src/notify/email/load-nodemailer.ts'
import type { Notification } from '../../../src/notify/notification.ts'
import { makeCertificates } from '../../make-certificates.ts'
import { aMailServer, type MailServer } from './an-smtp-server.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-'))
  await makeCertificates(folder)
  await writeFile(join(folder, 'login'), 'nodewave\ntop secret\n')
})

afterAll(() => rm(folder, { recursive: true }))

const LOGIN = { user: 'nodewave', password: 'top secret' }
const NOTIFICATION: Notification = {
  id: '0123456789abcdef',
  reason: 'RolloutHalted',
  severity: 'Warning',
  pool: 'gpu-a',
  time: '2026-11-21T08:00:00.000Z',
  message: 'aaaaaaa "more pods" failed on "n0"\r\n.\r\nRCPT TO:<eve@evil.example>',
  revision: 'a'.repeat(40),
  subject: 'more pods\r\nBcc: eve@evil.example\r\n\r\nanother body',
  author: 'Eve\nReply-To: eve@evil.example',
  nodes: { total: 12, current: 3 },
}

interface Sent {
  readonly email?: object
  readonly template?: string
  readonly notification?: Partial<Notification>
  readonly insecureHttp?: boolean
  readonly signal?: AbortSignal
}

/** @returns what the log would say */
async function send(
  { port }: Pick<MailServer, 'port'>,
  { email, template, notification, insecureHttp = false, signal }: Sent = {},
) {
  const addresses = { from: 'nodewave@example.com', to: ['ops@example.com', 'gpu@example.com'] }
  const settings = { server: `smtp://127.0.0.1:${port}`, ...addresses, caFile: 'ca.crt', ...email }
  const channels = [{ name: 'ops', email: settings, ...(template !== undefined && { template }) }]
  const resolve = (path: string) => join(folder, path)
  const [channel] = await channelsOf(parseNotificationSettings({ channels }), { insecureHttp, resolve })
  const warned: string[] = []
  const sending = { signal: signal ?? new AbortController().signal, now: 0, warn: (message: string) => void warned.push(message) }
  await channel?.send({ ...NOTIFICATION, ...notification }, sending)
  return warned
}

const headersOf = (raw = '') =>
  raw
    .slice(0, raw.indexOf('\r\n\r\n'))
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
const bodyOf = (raw = '') => raw.slice(raw.indexOf('\r\n\r\n') + 4).replace(/=\r\n/g, '')

test.each([
  { secure: false, scheme: 'smtp' },
  { secure: true, scheme: 'smtps' },
])(
  'an e-mail reaches a server of $scheme:// encrypted and with the login, by the authority of the file',
  async ({ secure, scheme }) => {
    await using server = await aMailServer({ certificates: folder, secure, login: LOGIN })
    const email = { server: `${scheme}://127.0.0.1:${server.port}`, loginFile: 'login' }

    expect(await send(server, { email, notification: { message: 'why' } })).toEqual([])
    expect(server.received).toMatchObject([
      {
        ...{ user: 'nodewave', isEncrypted: true },
        ...{ from: 'nodewave@example.com', to: ['ops@example.com', 'gpu@example.com'] },
      },
    ])
    const raw = server.received[0]?.raw
    expect(headersOf(raw)).toEqual(
      expect.arrayContaining([
        'From: nodewave <nodewave@example.com>',
        'To: ops@example.com, gpu@example.com',
        'Subject: RolloutHalted in pool gpu-a',
        'Message-ID: <0123456789abcdef@example.com>',
        'Auto-Submitted: auto-generated',
      ]),
    )
    expect(bodyOf(raw)).toBe('RolloutHalted in pool gpu-a: why\r\n')
  },
)

test('what a commit says makes no header, no recipient and no line of its own', async () => {
  await using server = await aMailServer({ certificates: folder })
  await send(server, { email: { subject: '{{subject}} {{author}}' }, template: '{{message}}\n{{subject}}' })
  const { raw, to } = server.received[0] ?? {}

  expect(to).toEqual(['ops@example.com', 'gpu@example.com'])
  expect(headersOf(raw)).toContain(
    'Subject: more pods\\r\\nBcc: eve@evil.example\\r\\n\\r\\nanother body Eve\\nReply-To: eve@evil.example',
  )
  expect(headersOf(raw).filter((line) => /^(bcc|reply-to):/i.test(line))).toEqual([])
  expect(bodyOf(raw).split('\r\n')).toEqual([
    'aaaaaaa "more pods" failed on "n0"\\r\\n.\\r\\nRCPT TO:<eve@evil.example>',
    'more pods\\r\\nBcc: eve@evil.example\\r\\n\\r\\nanother body',
    '',
  ])
})

test('a long message is cut off', async () => {
  await using server = await aMailServer({ certificates: folder })
  const notification = { message: 'm'.repeat(100_000), subject: 's'.repeat(1_000) }
  await send(server, { email: { subject: '{{subject}}' }, template: '{{message}}'.repeat(20), notification })
  const { raw } = server.received[0] ?? {}

  expect(headersOf(raw)).toContain(`Subject: ${'s'.repeat(250)}`)
  expect(bodyOf(raw)).toBe(`${'m'.repeat(20_000)}\r\n`)
})

test.each([
  [{ data: [451, '4.3.0 try later'] }, { message: 'SMTP 451 4.3.0 after DATA', isRefusal: false }],
  [{ data: [554, '5.7.1 looks like spam'] }, { message: 'SMTP 554 5.7.1 after DATA', isRefusal: true }],
  [
    { recipients: { 'ops@example.com': [550, '5.1.1 who?'], 'gpu@example.com': [550, '5.1.1 who?'] } },
    { message: 'SMTP 550 5.1.1 after RCPT TO; check "from" and "to"', isRefusal: false },
  ],
] as const)('a server that answers %j gives %j', async (answers, error) => {
  await using server = await aMailServer({ certificates: folder })
  server.answers = answers

  await expect(send(server)).rejects.toMatchObject(error)
})

test('a recipient that is refused is named in the log, and the others get the message', async () => {
  await using server = await aMailServer({ certificates: folder })
  server.answers = { recipients: { 'ops@example.com': [550, '5.1.1 who?'] } }

  expect(await send(server)).toEqual(['"ops@example.com" is refused: SMTP 550 5.1.1; the others got the message'])
  expect(server.received.map(({ to }) => to)).toEqual([['gpu@example.com']])
})

test('a password that is wrong is told without the password, and one that changes in its file is used at once', async () => {
  await using server = await aMailServer({ certificates: folder, login: { user: 'nodewave', password: 'the next one' } })
  const email = { loginFile: 'rotated' }
  await writeFile(join(folder, 'rotated'), 'nodewave\nSECRET')
  await expect(send(server, { email })).rejects.toThrow(/^SMTP 535 5\.7\.8 after AUTH PLAIN; check the user and the password$/)
  await writeFile(join(folder, 'rotated'), 'nodewave\r\nthe next one\r\n')

  expect(await send(server, { email })).toEqual([])
})

test('a server that does not answer in time ends the connection, not the controller', async () => {
  await using server = await aMailServer({ certificates: folder })
  server.answers = { isMute: true }
  const [deadline, settings] = [
    new AbortController(),
    emailSettings.parse({ server: `smtp://127.0.0.1:${server.port}`, from: 'a@b.c', to: ['d@e.f'] }),
  ]
  const context = { nodemailer: { createTransport }, insecureHttp: false, resolve: (path: string) => path }
  const sending = { signal: new AbortController().signal, now: 0, warn: () => undefined }
  const notification = { ...NOTIFICATION, source: '/nodewave', text: '' }
  const failed = expect(
    emailTo(settings, { ...context, deadline: () => deadline.signal })(notification, sending),
  ).rejects.toThrow('no answer in 30 s')
  const { ended } = await server.connected
  deadline.abort()

  await failed
  await ended
})

test('a controller that ends waits for no mail server', async () => {
  await using server = await aMailServer({ certificates: folder })
  server.answers = { isMute: true }
  const ending = new AbortController()
  const failed = expect(send(server, { signal: ending.signal })).rejects.toThrow('abort')
  const { ended } = await server.connected
  ending.abort()

  await failed
  await ended
})

test('a certificate of an authority that nobody named is refused', async () => {
  await using server = await aMailServer({ certificates: folder })

  await expect(send(server, { email: { caFile: undefined } })).rejects.toThrow(
    /^unable to verify the first certificate; check the name and the certificate of the server, "caFile"/,
  )
  expect(server.received).toEqual([])
})

test('a server that does not encrypt gets nothing, unless the controller may and there is no password', async () => {
  await using server = await aMailServer()

  await expect(send(server)).rejects.toThrow(/after STARTTLS; check/)
  await expect(send(server, { insecureHttp: true, email: { loginFile: 'login' } })).rejects.toThrow(/after STARTTLS; check/)
  expect(server.received).toEqual([])
  await send(server, { insecureHttp: true })
  expect(server.received).toHaveLength(1)
})

test('a server that is away is an error that says so', async () => {
  await expect(send({ port: 9 })).rejects.toThrow('ECONNREFUSED')
})

test.each(['nodewave\n', 'nodewave\nSECRET\nmore', '\nSECRET', 'node\0wave\nSECRET'])(
  'a login %j is refused without its content',
  async (content) => {
    await writeFile(join(folder, 'wrong'), content)

    await expect(send({ port: 25 }, { email: { loginFile: 'wrong' } })).rejects.toThrow(
      /^"[^"]*wrong": expected two lines: the user, then the password$/,
    )
  },
)

test.each([
  [{ server: 'smtp://user:SECRET@mail.example.com' }, 'email.server: expected smtps://HOST:PORT'],
  [{ server: 'https://mail.example.com' }, 'email.server: expected smtps://HOST:PORT'],
  [{ server: 'smtp://mail.example.com/?secure=no' }, 'email.server: expected smtps://HOST:PORT'],
  [{ from: 'nodewave <a@example.com>' }, 'email.from: expected an address such as ops@example.com'],
  [{ to: ['a@example.com, b@example.com'] }, 'email.to.0: expected an address'],
  [{ to: ['a@example.com\r\nBcc: eve@evil.example'] }, 'email.to.0: expected an address'],
  [{ to: [] }, 'email.to: '],
  [{ subject: '{{subject}}\n{{pool}}' }, 'email.subject: expected one line'],
  [{ subject: '{{pol}}' }, 'email.subject: expected these fields'],
  [{ password: 'SECRET' }, 'email: '],
])('settings %j are refused', (email, problem) => {
  const settings = { server: 'smtp://mail.example.com:587', from: 'a@example.com', to: ['b@example.com'], ...email }
  const refuse = () => parseNotificationSettings({ channels: [{ name: 'ops', email: settings }] })

  expect(refuse).toThrow(problem)
  expect(refuse).not.toThrow('SECRET')
})

test('without its package, a channel of e-mail says how to add it', async () => {
  await expect(loadNodemailer(() => Promise.reject(new Error('not found')))).rejects.toThrow(
    'npm install --ignore-scripts nodemailer@10.6',
  )
})
