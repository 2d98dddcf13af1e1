import { expect, test } from 'vitest'
import { withoutSwap, withSwap } from '../../../src/agent/resources/fstab-swap.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const ROOT = 'UUID=1 / ext4 defaults 0 1\n'
const OFF = { host: JSON.stringify({ swap: 'off' }) }

function swapping(): Machine {
  const machine = new Machine()
  machine.host.files.put('/etc/fstab', `${ROOT}/dev/sda2 none swap sw 0 0\n`)
  void machine.host.kernel.swapOn({ path: '/dev/sda2', priority: -2 })
  void machine.host.kernel.swapOn({ path: '/dev/zram0', priority: 100 })
  return machine
}

async function applied(): Promise<Machine> {
  const machine = swapping()
  machine.start()
  machine.assign(OFF)
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return machine
}

const swapped = async ({ host }: Machine) => (await host.kernel.swaps()).map(({ path }) => path)

test('swap that is off is off now, in fstab, and for all units of swap', async () => {
  const machine = await applied()

  expect(await swapped(machine)).toEqual([])
  expect(machine.host.files.text('/etc/fstab')).toBe(`${ROOT}# nodewave: /dev/sda2 none swap sw 0 0\n`)
  expect(machine.host.files.text('/etc/systemd/system/swap.d/10-nodewave.conf')).toContain(
    'ConditionPathExists=!/etc/systemd/system/swap.d/10-nodewave.conf',
  )
})

test('swap that is off stays off after a boot', async () => {
  const machine = await applied()
  machine.host.files.put('/etc/fstab', `${ROOT}/dev/sda3 none swap sw 0 0\n`)
  machine.kill()
  machine.host.powerOff()
  machine.host.powerOn()

  expect(await swapped(machine)).toEqual([])
})

test('swap comes back with its priorities, and what others wrote into fstab stays', async () => {
  const machine = await applied()
  const text = machine.host.files.text('/etc/fstab') ?? ''
  machine.host.files.put('/etc/fstab', `${text}/dev/sdb1 /data xfs defaults 0 2\n`)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await machine.host.kernel.swaps()).toEqual([
    { path: '/dev/sda2', priority: -2 },
    { path: '/dev/zram0', priority: 100 },
  ])
  expect(machine.host.files.text('/etc/fstab')).toBe(`${ROOT}/dev/sda2 none swap sw 0 0\n/dev/sdb1 /data xfs defaults 0 2\n`)
})

test('a swap file that somebody has removed since does not keep the host from being given back', async () => {
  const machine = swapping()
  machine.host.files.put('/swapfile', 'swap')
  await machine.host.kernel.swapOn({ path: '/swapfile', priority: -3 })
  machine.start()
  machine.assign(OFF)
  await machine.until('Applied')
  await machine.host.files.remove('/swapfile')
  machine.annotate(null)
  await machine.until('Reverted')

  expect(await swapped(machine)).toEqual(['/dev/sda2', '/dev/zram0'])
})

test('swap that somebody switches on by hand is switched off again', async () => {
  const machine = await applied()
  await machine.host.kernel.swapOn({ path: '/swapfile', priority: -2 })
  machine.host.files.put('/etc/fstab', `${ROOT}/swapfile none swap sw 0 0\n`)
  await machine.clock.advance(6 * MINUTE)

  expect(await swapped(machine)).toEqual([])
  expect(machine.host.files.text('/etc/fstab')).toBe(`${ROOT}# nodewave: /swapfile none swap sw 0 0\n`)
})

test('swap that cannot be switched off is as before, and the status says why', async () => {
  const machine = swapping()
  machine.host.kernel.fill('/dev/zram0')
  const before = machine.host.kernel.snapshot()
  machine.start()
  machine.assign(OFF)

  const { error } = await machine.until('RolledBack')
  expect(error?.reason).toBe('SwapNotOff')
  expect(error?.message).toContain('Cannot allocate memory; drain the node')
  expect(machine.host.kernel.snapshot().swaps.toSorted((a, b) => a.priority - b.priority)).toEqual(before.swaps)
  expect(machine.host.files.text('/etc/fstab')).toBe(`${ROOT}/dev/sda2 none swap sw 0 0\n`)
})

test('a host without swap and without fstab changes in nothing but the drop-in', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(OFF)
  await machine.until('Applied')

  const { '/etc/systemd/system/swap.d/10-nodewave.conf': _, ...after } = machine.hostFiles()
  expect(after).toEqual(before)
})

test.each([
  ['a device', '/dev/sda2\tnone\tswap\tsw\t0 0'],
  ['a label', 'LABEL=swap none swap sw,pri=5 0 0'],
  ['a line with nothing behind the type', '  /swapfile swap swap'],
])('withoutSwap makes a comment of %s, and withSwap takes it back', (_, line) => {
  const text = `# a comment\n${line}\n${ROOT}`
  expect(withoutSwap(text)).toBe(`# a comment\n# nodewave: ${line}\n${ROOT}`)
  expect(withoutSwap(withoutSwap(text))).toBe(withoutSwap(text))
  expect(withSwap(withoutSwap(text))).toBe(text)
})

test.each(['#/dev/sda2 none swap sw 0 0\n', '/dev/swap /mnt/swap ext4 defaults 0 0\n', '/a /swap swapfs sw 0 0\n', ''])(
  'withoutSwap leaves %j alone',
  (text) => {
    expect(withoutSwap(text)).toBe(text)
  },
)

test('lines of fstab in another encoding stay as they are, byte by byte', async () => {
  const machine = new Machine()
  const mount = Buffer.from('/dev/sdb1 /srv/b\xfccher ext4 defaults 0 2\n', 'latin1')
  await machine.host.files.writeAtomic('/etc/fstab', Buffer.concat([mount, Buffer.from('/srv/\u00e0.img none swap sw 0 0\n')]))
  machine.start()
  machine.assign(OFF)
  await machine.until('Applied')

  expect(Buffer.from((await machine.host.files.read('/etc/fstab')) ?? [])).toEqual(
    Buffer.concat([mount, Buffer.from('# nodewave: /srv/\u00e0.img none swap sw 0 0\n')]),
  )
})
