import { expect, test } from 'vitest'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const HOSTS = '/etc/hosts'
const THEIRS = '127.0.0.1 localhost\n'
const block = (content = '10.0.0.1 registry\n') => ({ path: HOSTS, blocks: [{ name: 'registry', content }] })
const marked = (content = '10.0.0.1 registry\n') => `# BEGIN nodewave registry\n${content}# END nodewave registry\n`

function machineWith(text: string | undefined, mode = 0o640): Machine {
  const machine = new Machine()
  if (text !== undefined) machine.host.files.put(HOSTS, text, { mode, gid: 6 })
  machine.start()
  return machine
}

async function apply(machine: Machine, host: HostDocument): Promise<void> {
  await machine.untilDigest(machine.assign({ host: JSON.stringify(host) }), 'Applied')
  await machine.clock.advance(11 * MINUTE)
}

async function remove(machine: Machine): Promise<void> {
  machine.annotate(null)
  await machine.until('Reverted')
}

const hosts = ({ host }: Machine) => host.files.text(HOSTS)
const modeOf = async ({ host }: Machine) => {
  const { mode = 0, gid } = (await host.files.stat(HOSTS)) ?? {}
  return `${mode.toString(8)} ${gid}`
}

test('block is added to a file of others with its mode, follows Git, and goes with it', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { edits: [block()] })
  expect(hosts(machine)).toBe(THEIRS + marked())
  expect(await modeOf(machine)).toBe('640 6')
  await apply(machine, { edits: [block('10.0.0.7 registry\n')] })
  expect(hosts(machine)).toBe(THEIRS + marked('10.0.0.7 registry\n'))
  await apply(machine, { files: [{ path: '/etc/motd', content: 'x' }] })

  expect(hosts(machine)).toBe(THEIRS)
})

test('what others write around a block stays, now and after the block is gone', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { edits: [block()] })
  machine.host.files.put(HOSTS, `::1 ip6-localhost\n${THEIRS}${marked()}10.9.9.9 theirs\n`)
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status?.drift ?? []).toEqual([])
  await remove(machine)

  expect(hosts(machine)).toBe(`::1 ip6-localhost\n${THEIRS}10.9.9.9 theirs\n`)
})

test('block that somebody changes or takes out is put back, and the rest of the file is left alone', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { edits: [{ ...block(), lines: ['10.0.0.9 ntp'] }] })
  machine.host.files.put(HOSTS, `${marked('6.6.6.6 registry\n')}10.9.9.9 theirs\n`)
  await machine.clock.advance(6 * MINUTE)

  expect(hosts(machine)).toBe(`${marked()}10.9.9.9 theirs\n# BEGIN nodewave lines\n10.0.0.9 ntp\n# END nodewave lines\n`)
})

test('file that fails its health checks is as before, bit for bit', async () => {
  const machine = machineWith('no end of line')
  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock', host: JSON.stringify({ edits: [block()] }) })
  await machine.until('RolledBack')
  expect(hosts(machine)).toBe('no end of line')
})

test('last line without an end gets that back when the block goes', async () => {
  const machine = machineWith('no end of line')
  await apply(machine, { edits: [block()] })
  await remove(machine)
  expect(hosts(machine)).toBe('no end of line')
})

test('file that was not there goes with its directory, unless others have written into it', async () => {
  for (const theirs of ['', 'theirs\n']) {
    const machine = machineWith(undefined)
    await apply(machine, { edits: [{ path: '/etc/new/list', lines: ['a'] }] })
    const text = machine.host.files.text('/etc/new/list')
    machine.host.files.put('/etc/new/list', `${theirs}${text}`)
    await remove(machine)
    expect(machine.host.files.text('/etc/new/list')).toBe(theirs || undefined)
    expect(machine.host.files.directories().includes('/etc/new')).toBe(theirs !== '')
  }
})

test('block with one mark only is refused with its name, and nothing is changed', async () => {
  const machine = machineWith(`${THEIRS}# BEGIN nodewave registry\n`)
  machine.assign({ host: JSON.stringify({ edits: [block()] }) })
  const { error } = await machine.until('RolledBack')
  expect(error).toMatchObject({ reason: 'BlockDamaged', message: expect.stringContaining('block "registry"') })
  expect(hosts(machine)).toBe(`${THEIRS}# BEGIN nodewave registry\n`)
})

test('block whose end somebody deletes is drift, and is given back without its mark', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { edits: [block()] })
  machine.host.files.put(HOSTS, `${THEIRS}# BEGIN nodewave registry\n10.0.0.1 registry\n`)
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status?.drift).toEqual([HOSTS])
  await remove(machine)

  expect(hosts(machine)).toBe(`${THEIRS}10.0.0.1 registry\n`)
})

test('file that was all of Git becomes one of others with a block, and then again theirs alone', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { files: [{ path: HOSTS, content: 'all of Git\n', mode: '0600', group: '0' }] })
  await apply(machine, { edits: [block()] })
  expect(hosts(machine)).toBe(THEIRS + marked())
  expect(await modeOf(machine)).toBe('640 6')
  machine.host.files.put(HOSTS, `10.9.9.9 theirs\n${THEIRS}${marked()}`, { mode: 0o640, gid: 6 })
  await machine.clock.advance(11 * MINUTE)
  expect(hosts(machine)).toBe(`10.9.9.9 theirs\n${THEIRS}${marked()}`)
  await remove(machine)

  expect(hosts(machine)).toBe(`10.9.9.9 theirs\n${THEIRS}`)
})

test('file with a block becomes all of Git, and what others had goes back at the end', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { edits: [block()] })
  machine.host.files.put(HOSTS, `10.9.9.9 theirs\n${THEIRS}${marked()}`, { mode: 0o640, gid: 6 })
  await apply(machine, { files: [{ path: HOSTS, content: 'all of Git\n' }] })
  expect(hosts(machine)).toBe('all of Git\n')
  await remove(machine)

  expect(hosts(machine)).toBe(`10.9.9.9 theirs\n${THEIRS}`)
})

test('file of Git stays as it was when the commit that makes it a file with a block fails', async () => {
  const machine = machineWith(THEIRS)
  await apply(machine, { files: [{ path: HOSTS, content: 'all of Git\n' }] })
  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock', host: JSON.stringify({ edits: [block()] }) })
  await machine.until('RolledBack')
  expect(hosts(machine)).toBe('all of Git\n')
  await remove(machine)

  expect(hosts(machine)).toBe(THEIRS)
})

test('unit restarts on a file with a block', async () => {
  const machine = machineWith(THEIRS)
  const { mainPid } = await machine.host.services.show('containerd.service')
  await apply(machine, { edits: [block()], units: [{ name: 'containerd.service', restartOn: [HOSTS] }] })
  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
})

test.each(['/var/lib/kubelet/config.yaml', '/etc/sysctl.d/99-x.conf'])('block in %s is refused', async (path) => {
  const machine = machineWith(undefined)
  machine.assign({ host: JSON.stringify({ edits: [{ ...block(), path }] }) })
  expect((await machine.until('RolledBack')).error?.reason).toBe('PathNotAllowed')
})

test('a host with a damaged block refuses another content, and takes the one that it has, with the block as drift', async () => {
  const machine = machineWith(THEIRS)
  const host = JSON.stringify({ edits: [block()] })
  await apply(machine, { edits: [block()] })
  const damaged = `${THEIRS}# BEGIN nodewave registry\n10.0.0.1 registry\n`
  machine.host.files.put(HOSTS, damaged)
  const { error } = await machine.untilDigest(machine.assign({ host, flags: '--v=3' }), 'RolledBack')
  expect(error?.reason).toBe('BlockDamaged')
  // As a pool that goes back to it does.
  const back = await machine.untilDigest(machine.assign({ host }, { ASSIGNED: '2026-01-01T01:00:00Z' }), 'Applied')
  expect(back).not.toHaveProperty('error')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [HOSTS] })
  expect(hosts(machine)).toBe(damaged)
})
