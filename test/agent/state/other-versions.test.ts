import { expect, test } from 'vitest'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import { contentDigest } from '../../../src/protocol/digest.ts'
import { furnished, play } from '../support/happenings.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const memory = '/var/lib/nodewave'

/** As of a release that had no sysctls. */
const OLDER = new Kinds(ALL_KINDS.filter(({ name }) => name !== 'sysctl'))

/** A machine whose agent has applied something, and is stopped. */
async function stopped() {
  const machine = new Machine({ kinds: OLDER })
  machine.host.files.put('/etc/motd', 'welcome\n')
  const before = machine.hostFiles()
  machine.start()
  const host = JSON.stringify({ files: [{ path: '/etc/motd', content: 'hello\n' }] })
  const digest = machine.assign({ flags: '--v=2', host })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  machine.kill()
  return { machine, before, digest, checkpoint: `${memory}/checkpoints/${digest.replace(':', '-')}` }
}

/** A newer agent has applied a document with a kind that this one does not have. */
async function downgraded() {
  const { machine, before, checkpoint } = await stopped()
  const content = {
    flags: '--v=2',
    host: JSON.stringify({ sysctls: { 'vm.swappiness': '1' }, files: [{ path: '/etc/motd', content: 'hello\n' }] }),
  }
  const digest = contentDigest(content)
  const newer = `${memory}/checkpoints/${digest.replace(':', '-')}`
  machine.host.files.put(`${newer}/content.json`, JSON.stringify(content))
  machine.host.files.put(`${newer}/desired-config.json`, machine.host.files.text(`${checkpoint}/desired-config.json`) ?? '')
  for (const pointer of ['active', 'last-known-good']) machine.host.files.put(`${memory}/meta/${pointer}`, `${digest}\n`)
  const { sha256: _sha256, version: _version, ...index } = JSON.parse(machine.host.files.text(`${memory}/local/index.json`) ?? '')
  index.sysctls = [{ kind: 'sysctl', name: 'vm.swappiness', value: '60' }]
  machine.host.files.put(`${memory}/local/index.json`, JSON.stringify(index))
  machine.start()
  return { machine, before, digest }
}

test('agent takes a new assignment when a newer agent accepted an annotation that it cannot read', async () => {
  const { machine, checkpoint } = await stopped()
  const text = machine.host.files.text(`${checkpoint}/desired-config.json`) ?? ''
  machine.host.files.put(`${checkpoint}/desired-config.json`, text.replace('{', '{"GRANT":"evict",'))
  machine.start()
  const next = machine.assign({ flags: '--v=4' })
  await machine.untilDigest(next, 'Applied')

  expect(machine.host.files.text('/etc/default/kubelet')).toBe('KUBELET_EXTRA_ARGS="--v=4"\n')
})

test('agent says that it cannot read what a newer agent applied, and leaves the host as it is', async () => {
  const { machine, digest } = await downgraded()
  const before = machine.hostFiles()
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', active: digest, error: { reason: 'ActiveUnreadable' } })
  expect(machine.hostFiles()).toEqual(before)
})

test('agent takes a new assignment after a newer agent, and says what it leaves alone', async () => {
  const { machine } = await downgraded()
  const next = machine.assign({ flags: '--v=4' })
  await machine.untilDigest(next, 'Applied')

  expect(machine.host.files.text('/etc/motd')).toBe('welcome\n')
  expect(machine.status?.error).toEqual({
    reason: 'KindUnknown',
    message:
      'internal failure: another version of the agent manages what this one does not know, and it is left as it is: 1 of "sysctls"',
  })
})

test('agent gives back what it can when the annotation is removed after a newer agent, and keeps the rest in mind', async () => {
  const { machine, before } = await downgraded()
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
  expect(JSON.parse(machine.host.files.text(`${memory}/local/index.json`) ?? '')).toMatchObject({
    files: [],
    sysctls: [{ kind: 'sysctl', name: 'vm.swappiness', value: '60' }],
  })
})

const JOURNALS = {
  'a kind that it does not have': '{"at":"intent","step":0,"undo":{"kind":"sysctl","version":1,"data":{"vm.swappiness":"60"}}}\n',
  'a newer version of a kind': '{"at":"intent","step":0,"undo":{"kind":"file","version":9,"data":{"do":"remove","path":"/a"}}}\n',
  'a line that it does not know': '{"at":"checkpointed","step":0}\n',
}

/** The agent was replaced by an older one in the middle of a change. */
async function inTheMiddle(line: string) {
  const { machine, before } = await stopped()
  machine.host.files.put('/etc/motd', 'half\n')
  const begin =
    '{"at":"begin","id":"t1","purpose":"apply","digest":"v1:a","activation":{"reload":false,"restarts":[]},"proof":{"ready":true,"within":30000},"before":{"healthy":true}}\n'
  machine.host.files.put(`${memory}/journal.jsonl`, begin + line)
  machine.host.files.put(`${memory}/backups/t1/0`, 'the original')
  machine.start()
  await machine.clock.advance(30 * MINUTE)
  return { machine, before }
}

test.each(Object.entries(JOURNALS))(
  'agent leaves the host as it is over a journal with %s, and applies what is assigned next',
  async (_, line) => {
    const { machine, before } = await inTheMiddle(line)
    expect(machine.status).toMatchObject({ phase: 'Failed', error: { reason: 'JournalUnreadable' } })
    expect(machine.host.files.text('/etc/motd')).toBe('half\n')
    expect(machine.host.files.text(`${memory}/backups/t1/0`)).toBe('the original')
    const host = JSON.stringify({ files: [{ path: '/etc/motd', content: 'new\n' }] })
    await machine.untilDigest(machine.assign({ flags: '--v=4', host }), 'Applied')
    expect(machine.host.files.text('/etc/motd')).toBe('new\n')
    machine.annotate(null)
    await machine.until('Reverted')

    expect(machine.hostFiles()).toEqual(before)
  },
)

test('agent gives the host back over a journal that it cannot read when the annotation is removed, and keeps the journal', async () => {
  const { machine, before } = await inTheMiddle(JOURNALS['a kind that it does not have'])
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.files.text(`${memory}/journal.jsonl.unreadable`)).toContain('sysctl')
})

/** What each agent does next, from a host that the newer one has configured with something of a kind that the older one has not. */
test.each([
  ['after it had applied something', 5000],
  ['in the middle of applying something', 100],
])('newer agent gives back what an older one left alone %s', async (_, pause) => {
  const machine = furnished()
  machine.start()
  await play(machine, [
    { do: 'assign', which: 2 },
    { do: 'wait', which: 20_000 },
    { do: 'agent', which: 0 },
    { do: 'assign', which: 0 },
    { do: 'wait', which: pause },
  ])
  expect(machine.host.files.text('/sys/lamps/red')).toBe('ours')
  await play(machine, [{ do: 'agent', which: 1 }])
  await machine.clock.advance(11 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied' })
  expect(machine.host.files.text('/sys/lamps/red')).toBe('theirs')
})

const NOT_RESTORED = 'an earlier change was not undone, so the host is not as it was before that'

test.each([
  ['is refused', { host: JSON.stringify({ lamps: { red: 'on' } }) }, 'MalformedHostDocument'],
  ['is undone', { flags: '--container-runtime-endpoint=unix:///none.sock' }, 'HealthCheckFailed'],
])('agent does not say that the host is as it was when what follows an unreadable journal %s', async (_, content, reason) => {
  const { machine } = await inTheMiddle(JOURNALS['a line that it does not know'])
  await machine.untilDigest(machine.assign(content), 'Failed')

  expect(machine.status?.error).toEqual({ reason, message: expect.stringMatching(new RegExp(`; ${NOT_RESTORED}$`)) })
  expect(machine.host.files.text('/etc/motd')).toBe('half\n')
})

test('agent that waits for a grant says that the host is not as it was', async () => {
  const { machine } = await inTheMiddle(JOURNALS['a line that it does not know'])
  await machine.untilDigest(machine.assign({ flags: '--v=4' }, { GRANT: 'none' }), 'Blocked')

  expect(machine.status?.error).toEqual({ reason: 'NotRestored', message: NOT_RESTORED })
})
