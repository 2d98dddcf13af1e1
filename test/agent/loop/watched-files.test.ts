import { expect, test } from 'vitest'
import type { DriftRules } from '../../../src/protocol/drift-policy.ts'
import { Machine } from '../support/machine.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const MOTD = '/etc/motd'

interface Host {
  readonly drift?: DriftRules
  readonly units?: readonly object[]
}

/** A machine whose file `/etc/motd` was applied and has held its trial; the last regular look was just now. */
async function applied({ drift, units }: Host = {}): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  const files = [{ path: MOTD, content: 'hello\n', mode: '0644' }]
  machine.assign({ config: 'maxPods: 50\n', host: JSON.stringify({ files, units, drift }) }, { POOL: 'workers' })
  await machine.until('Applied')
  await machine.clock.advance(15 * MINUTE + SECOND)
  return machine
}

/** How often a file is written by the agent from now on. */
function countWrites(machine: Machine, path: string): { count: number } {
  const { files } = machine.host
  const write = files.writeAtomic.bind(files)
  const writes = { count: 0 }
  files.writeAtomic = (at, ...args) => {
    if (at === path) writes.count++
    return write(at, ...args)
  }
  return writes
}

test.each<[string, (machine: Machine) => unknown]>([
  ['written', ({ host }) => host.files.put(MOTD, 'changed\n')],
  ['removed', ({ host }) => host.files.remove(MOTD)],
  ['given another mode', ({ host }) => host.files.put(MOTD, 'hello\n', { mode: 0o666 })],
])('file that is %s by hand is back within a second', async (_, change) => {
  const machine = await applied()
  await change(machine)
  await machine.clock.advance(SECOND)

  expect(machine.hostFiles()[MOTD]).toBe('644 0:0 hello\n')
  expect(machine.status).not.toHaveProperty('drift')
})

test.each([
  [{ policy: 'Report' }, 'changed\n', [MOTD]],
  [{ policy: 'Ignore' }, 'changed\n', undefined],
  [{ kinds: { files: 'Report' } }, 'changed\n', [MOTD]],
  [{ policy: 'Report', kinds: { files: 'Repair' } }, 'hello\n', undefined],
] as const)('drift policy %j leaves a file changed a second ago as %j and reports %j', async (drift, text, reported) => {
  const machine = await applied({ drift })
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(SECOND)

  expect(machine.host.files.text(MOTD)).toBe(text)
  expect(machine.status?.drift).toEqual(reported)
})

test('drift that a person takes back is gone from the status within a few seconds', async () => {
  const machine = await applied({ drift: { policy: 'Report' } })
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(10 * SECOND)
  expect(machine.status?.drift).toEqual([MOTD])
  machine.host.files.put(MOTD, 'hello\n')
  await machine.clock.advance(SECOND)

  expect(machine.status).not.toHaveProperty('drift')
})

test('agent that has repaired a file looks once more, and not again for its own write', async () => {
  const machine = await applied()
  const writes = countWrites(machine, MOTD)
  let reads = 0
  const read = machine.host.files.read.bind(machine.host.files)
  machine.host.files.read = (path) => {
    if (path === MOTD) reads++
    return read(path)
  }
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(4 * MINUTE)

  expect(writes.count).toBe(1)
  expect(reads).toBeLessThan(8)
})

test('other tool that rewrites a file every second is not fought every second, and named as contested', async () => {
  const machine = await applied()
  const writes = countWrites(machine, MOTD)
  for (let second = 0; second < 3600; second++) {
    machine.host.files.put(MOTD, 'changed\n')
    await machine.clock.advance(SECOND)
    if (second === 10) expect(machine.status).toMatchObject({ phase: 'Applied', drift: [MOTD], contested: [MOTD] })
  }

  expect(writes.count).toBe(4)
  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [MOTD], contested: [MOTD] })
})

test('person who changes a file twice within a second finds it as in Git both times', async () => {
  const machine = await applied()
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(600)
  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  machine.host.files.put(MOTD, 'changed again\n')
  await machine.clock.advance(2 * SECOND)

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect(machine.status).not.toHaveProperty('drift')
})

test('other tool that waits until its file was put right is named as contested after four repairs', async () => {
  const machine = await applied()
  const writes = countWrites(machine, MOTD)
  for (let turn = 0; turn < 10; turn++) {
    machine.host.files.put(MOTD, 'changed\n')
    await machine.clock.advance(3 * MINUTE)
  }

  expect(writes.count).toBe(4)
  expect(machine.status).toMatchObject({ drift: [MOTD], contested: [MOTD] })
})

test('look at a file that was changed touches no unit, and keeps what the regular look said of one', async () => {
  const machine = await applied({
    units: [{ name: 'containerd.service', state: 'running' }],
    drift: { kinds: { units: 'Report' } },
  })
  await machine.host.services.stop('containerd.service')
  await machine.clock.advance(5 * MINUTE)
  expect(machine.status?.drift).toEqual(['containerd.service'])
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(SECOND)

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect(machine.status?.drift).toEqual(['containerd.service'])
})

test('unit that somebody stops together with a changed file is left to the regular look', async () => {
  const machine = await applied({ units: [{ name: 'containerd.service', state: 'running' }] })
  await machine.host.services.stop('containerd.service')
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(10 * SECOND)
  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect((await machine.host.services.show('containerd.service')).active).toBe('inactive')
  await machine.clock.advance(5 * MINUTE)

  expect((await machine.host.services.show('containerd.service')).active).toBe('active')
})

test('repair of the kubelet that waits for the pool goes on waiting when an unrelated file was changed', async () => {
  const machine = await applied({ drift: { policy: 'Repair' } })
  const path = '/var/lib/kubelet/config.yaml'
  machine.host.files.put(path, (machine.host.files.text(path) ?? '').replace('maxPods: 50', 'maxPods: 99'))
  await machine.clock.advance(5 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Blocked', error: { reason: 'ChangedByOthers' } })
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(10 * SECOND)

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect(machine.status).toMatchObject({ phase: 'Blocked', error: { reason: 'ChangedByOthers' }, drift: [path] })
})

test("kubelet's own files are left to the regular look, as `kubeadm upgrade node` rewrites several", async () => {
  const machine = await applied()
  const path = '/var/lib/kubelet/config.yaml'
  machine.host.files.put(path, (machine.host.files.text(path) ?? '').replace('maxPods: 50', 'maxPods: 99'))
  await machine.clock.advance(MINUTE)
  expect(machine.status).not.toHaveProperty('drift')
  await machine.clock.advance(5 * MINUTE)

  expect(machine.status?.drift).toEqual([path])
})

test('host without watches to spare repairs with the regular look, and watches as soon as it can', async () => {
  const machine = new Machine()
  const { watchDirectory } = machine.host.files
  let isFull = true
  Object.assign(machine.host.files, {
    watchDirectory: async (...args: Parameters<typeof watchDirectory>) => {
      if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      return watchDirectory(...args)
    },
  })
  machine.start()
  machine.assign({ host: JSON.stringify({ files: [{ path: MOTD, content: 'hello\n' }] }) })
  await machine.until('Applied')
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(MINUTE)
  expect(machine.host.files.text(MOTD)).toBe('changed\n')
  isFull = false
  await machine.clock.advance(5 * MINUTE)
  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  machine.host.files.put(MOTD, 'changed again\n')
  await machine.clock.advance(SECOND)

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect(machine.logged.filter((line) => line.startsWith('not all directories are watched'))).toHaveLength(1)
})

test('directory that somebody removes with all files in it comes back, and is watched again', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ files: [{ path: '/srv/app/a.conf', content: 'a\n' }] }) })
  await machine.until('Applied')
  await machine.clock.advance(MINUTE)
  await machine.host.files.removeTree('/srv/app')
  await machine.clock.advance(SECOND)
  expect(machine.host.files.text('/srv/app/a.conf')).toBe('a\n')
  await machine.clock.advance(10 * SECOND)
  machine.host.files.put('/srv/app/a.conf', 'changed\n')
  await machine.clock.advance(SECOND)

  expect(machine.host.files.text('/srv/app/a.conf')).toBe('a\n')
})

test('agent that starts watches what was applied before it', async () => {
  const machine = await applied()
  machine.kill()
  machine.start()
  await machine.clock.advance(SECOND)
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(SECOND)

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
})
