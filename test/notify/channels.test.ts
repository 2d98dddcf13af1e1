import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { wantedBy } from '../../src/notify/channel-filter.ts'
import { parseNotificationSettings } from '../../src/notify/channel-settings.ts'
import { channelsOf } from '../../src/notify/channels.ts'
import type { Channel, Notification } from '../../src/notify/notification.ts'
import { aReceiver, type Receiver } from './a-receiver.ts'

let receiver: Receiver
let folder: string

beforeEach(async () => {
  receiver = await aReceiver()
  folder = await mkdtemp(join(tmpdir(), 'notify-'))
  await writeFile(join(folder, 'url'), `${receiver.url}/services/T0/SECRET\n`)
  await writeFile(join(folder, 'token'), 'top-secret\n')
})

afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const NOTIFICATION: Notification = {
  id: '0123456789abcdef',
  reason: 'RolloutHalted',
  severity: 'Warning',
  pool: 'gpu-a',
  time: '2026-11-21T08:00:00.000Z',
  message: 'aaaaaaa "<!channel> [free](https://evil.example)" failed on "n0"',
  revision: 'a'.repeat(40),
  subject: '<!channel> [free](https://evil.example)',
  author: 'Eve',
  nodes: { total: 12, current: 3 },
}

async function aChannel(settings: object, { cluster, insecureHttp = true }: { cluster?: string; insecureHttp?: boolean } = {}) {
  const parsed = parseNotificationSettings({ channels: [{ name: 'ops', ...settings }] })
  const resolve = (path: string) => join(folder, path)
  const [channel] = await channelsOf(parsed, { cluster, insecureHttp, resolve })
  return channel as Channel
}

async function sent(settings: object, cluster?: string) {
  const channel = await aChannel(settings, cluster === undefined ? {} : { cluster })
  await channel.send(NOTIFICATION, { signal: new AbortController().signal, now: 0, warn: () => undefined })
  return (await receiver.after(1))[0]
}

test('a webhook gets a CloudEvent with the token', async () => {
  const { path, headers, body } = (await sent({ cloudEvents: { urlFile: 'url', tokenFile: 'token' } }, 'berlin')) ?? {}

  expect(path).toBe('/services/T0/SECRET')
  expect(headers).toMatchObject({
    'content-type': 'application/cloudevents+json; charset=utf-8',
    authorization: 'Bearer top-secret',
  })
  expect(body).toEqual({
    specversion: '1.0',
    id: '0123456789abcdef',
    source: '/nodewave/berlin',
    type: 'io.nodewave.pool.RolloutHalted',
    subject: 'gpu-a',
    time: '2026-11-21T08:00:00.000Z',
    datacontenttype: 'application/json',
    data: {
      pool: 'gpu-a',
      reason: 'RolloutHalted',
      cluster: 'berlin',
      severity: 'Warning',
      message: 'aaaaaaa "<!channel> [free](https://evil.example)" failed on "n0"',
      revision: 'a'.repeat(40),
      subject: '<!channel> [free](https://evil.example)',
      author: 'Eve',
      nodes: { total: 12, current: 3 },
      text: 'RolloutHalted in pool gpu-a of berlin: aaaaaaa "<!channel> [free](https://evil.example)" failed on "n0"',
    },
  })
})

test('Slack gets text in which a commit can call nobody', async () => {
  const { body } = (await sent({ slack: { urlFile: 'url' } })) ?? {}

  expect(body).toEqual({
    text: 'RolloutHalted in pool gpu-a: aaaaaaa "&lt;!channel&gt; [free](https://evil.example)" failed on "n0"',
    unfurl_links: false,
    unfurl_media: false,
  })
})

test('Teams gets a card in which a commit makes no link', async () => {
  const { body } = (await sent({ teams: { urlFile: 'url' }, template: '*{{pool}}* {{subject}}' })) ?? {}

  expect(body).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: '*gpu-a* <!channel\\> \\[free\\]\\(https://evil.example\\)',
              wrap: true,
              color: 'Attention',
            },
            { type: 'TextBlock', text: '2026-11-21T08:00:00.000Z', isSubtle: true, size: 'Small' },
          ],
        },
      },
    ],
  })
})

test('a template has every field of a notification', async () => {
  const template =
    '{{reason}} {{severity}} {{place}} {{pool}} {{cluster}} {{ time }} {{commit}} {{author}} {{current}}/{{total}} {{no field}}'
  const { body } = (await sent({ slack: { urlFile: 'url' }, template }, 'berlin')) ?? {}

  expect(body).toMatchObject({
    text: 'RolloutHalted Warning pool gpu-a of berlin gpu-a berlin 2026-11-21T08:00:00.000Z aaaaaaa Eve 3/12 {{no field}}',
  })
})

test.each([
  [{ status: 404 }, { message: 'HTTP 404', isRefusal: false }],
  [{ status: 400 }, { message: 'HTTP 400', isRefusal: true }],
  [
    { status: 429, headers: { 'retry-after': '7' } },
    { message: 'HTTP 429', retryAfter: 7_000, isRefusal: false },
  ],
  [
    { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' } },
    { message: 'HTTP 503', retryAfter: 60_000, isRefusal: false },
  ],
  [
    { status: 302, headers: { location: 'http://elsewhere.example/' } },
    { message: 'HTTP 302: redirects are not followed; state the URL that it leads to', isRefusal: false },
  ],
])('%j is an error that does not name the URL', async (answer, error) => {
  receiver.answers.push(answer)

  await expect(sent({ slack: { urlFile: 'url' } })).rejects.toMatchObject(error)
})

test('a URL with a password is refused, and not shown', async () => {
  await writeFile(join(folder, 'url'), receiver.url.replace('//', '//user:SECRET@'))

  await expect(sent({ slack: { urlFile: 'url' } })).rejects.toThrow(
    'a URL with a user name or a password is refused; use a header',
  )
})

test('a server that is away is an error that does not name the URL', async () => {
  await writeFile(join(folder, 'url'), 'http://127.0.0.1:9/services/T0/SECRET')

  await expect(sent({ slack: { urlFile: 'url' } })).rejects.toThrow(/^(?!.*SECRET)/)
})

test.each([
  ['two words', 'ops: one\ntwo'],
  ['http://example.com/SECRET', 'x'],
  ['https://user:SECRET@example.com/', 'x'],
])('a file with %j is refused without its content', async (content) => {
  await writeFile(join(folder, 'url'), content)

  await expect(aChannel({ slack: { urlFile: 'url' } }, { insecureHttp: false })).rejects.toThrow(
    /^"[^"]*url": (?!.*(SECRET|two words))/,
  )
})

test('a token of two lines is refused without its content', async () => {
  await writeFile(join(folder, 'token'), 'one-secret\nanother-secret')

  await expect(sent({ cloudEvents: { urlFile: 'url', tokenFile: 'token' } })).rejects.toThrow(/^(?!.*-secret)/)
  expect(receiver.received).toEqual([])
})

test.each([
  [{}, { pool: 'workers', reason: 'Paused' }, true],
  [{ pools: ['gpu-*'] }, { pool: 'gpu-a', reason: 'Paused' }, true],
  [{ pools: ['gpu-*'] }, { pool: 'workers', reason: 'Paused' }, false],
  [{ pools: ['gpu'] }, { pool: 'gpu-a', reason: 'Paused' }, false],
  [{ pools: ['*-a*b'] }, { pool: 'x-aab', reason: 'Paused' }, true],
  [{ pools: ['a*a'] }, { pool: 'a', reason: 'Paused' }, false],
  [{ reasons: ['RolloutHalted'] }, { pool: 'gpu-a', reason: 'Paused' }, false],
  [{ reasons: ['RolloutHalted'] }, { pool: 'gpu-a', reason: 'RolloutHalted' }, true],
])('a channel with %j asked for %j: %j', async (filter, notification, wanted) => {
  const channel = await aChannel({ slack: { urlFile: 'url' }, ...filter })

  expect(wantedBy(channel.filter)(notification)).toBe(wanted)
})

test.each([
  [{ channels: [] }, 'channels: '],
  [{ channels: [{ name: 'ops' }] }, 'channels.0: expected one of cloudEvents, slack, teams, email'],
  [{ channels: [{ name: 'ops', slack: { urlFile: 'a' }, teams: { urlFile: 'b' } }] }, 'channels.0: expected one of'],
  [{ channels: [{ name: 'ops', slack: { url: 'https://hooks.example/SECRET' } }] }, 'channels.0.slack'],
  [{ channels: [{ name: 'a', slack: { urlFile: 'a' }, template: '{{pol}}' }] }, 'channels.0.template: expected these fields'],
  [{ channels: [1, 2].map(() => ({ name: 'a', slack: { urlFile: 'a' } })) }, 'channels: two channels have the same name'],
])('settings %j are refused', (settings, problem) => {
  const refuse = () => parseNotificationSettings(settings)

  expect(refuse).toThrow(problem)
  expect(refuse).not.toThrow('SECRET')
})
