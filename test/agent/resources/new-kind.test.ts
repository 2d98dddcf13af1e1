import { expect, test } from 'vitest'
import { ALL_KINDS, Kinds } from '../../../src/agent/resources/kinds.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { lamps } from '../support/lamp-kind.ts'
import { Machine } from '../support/machine.ts'
import { type Mishap, runThrough } from '../support/run-through.ts'

const MINUTE = 60_000
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'
const withLamps = new Kinds([...ALL_KINDS, lamps])

function machineWithLamps(): Machine {
  const machine = new Machine({ kinds: withLamps })
  machine.host.files.put('/sys/lamps/red', 'off')
  return machine
}

function content(red: string, flags = '--v=3'): NodeContent {
  const units = [{ name: 'containerd.service', restartOn: ['/sys/lamps/red'] }]
  return { flags, host: JSON.stringify({ lamps: { red, green: 'on' }, files: [{ path: '/etc/motd', content: red }], units }) }
}

const positions = ({ host: { files } }: Machine) => [files.text('/sys/lamps/red'), files.text('/sys/lamps/green')]

test('new kind is applied, restarts what reads it, and is given back when the annotation is removed', async () => {
  const machine = machineWithLamps()
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('containerd.service')
  machine.start()
  machine.assign(content('on'))
  await machine.until('Applied')
  expect(positions(machine)).toEqual(['on', 'on'])
  expect((await machine.host.services.show('containerd.service')).mainPid).not.toBe(mainPid)
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.files.text('/var/lib/nodewave/local/index.json')).toBeUndefined()
})

test('new kind that is no longer named is given back, and the others stay', async () => {
  const machine = machineWithLamps()
  machine.start()
  await machine.untilDigest(machine.assign(content('on')), 'Applied')
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ lamps: { green: 'dim' } }) }), 'Applied')

  expect(positions(machine)).toEqual(['off', 'dim'])
})

test('new kind is refused by an agent that has it not, and by one whose schema it breaks', async () => {
  for (const [kinds, red, reason] of [
    [new Kinds(), 'on', 'MalformedHostDocument'],
    [withLamps, 7, 'MalformedHostDocument'],
  ] as const) {
    const machine = machineWithLamps()
    machine.kinds = kinds
    machine.start()
    machine.assign({ host: JSON.stringify({ lamps: { red } }) })
    expect((await machine.until('RolledBack')).error?.reason).toBe(reason)
    expect(positions(machine)).toEqual(['off', undefined])
  }
})

test('new kind that drifts is repaired, or reported when that would restart something', async () => {
  const machine = machineWithLamps()
  machine.start()
  machine.assign(content('on'))
  await machine.until('Applied')
  machine.host.files.put('/sys/lamps/red', 'dim')
  machine.host.files.put('/sys/lamps/green', 'dim')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status?.drift).toEqual(['/sys/lamps/red'])
  expect(positions(machine)).toEqual(['dim', 'on'])
})

test('new kind goes back to the checkpoint of what last worked when the trial fails, without a network', async () => {
  const machine = machineWithLamps()
  machine.start()
  const good = machine.assign(content('dim'))
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign(content('on', '--v=4')), 'Applied')
  machine.host.faults.network = 'lost'
  machine.host.injectCrash(({ args }) => (args.includes('--v=4') ? 'panic: out of luck' : undefined))
  await machine.clock.advance(5 * MINUTE)
  machine.host.faults.network = undefined

  expect(await machine.until('RolledBack')).toMatchObject({ active: good })
  expect(positions(machine)).toEqual(['dim', 'on'])
})

interface Story extends Mishap {
  readonly flags: string
}

async function runToEnd({ flags, ...mishap }: Story) {
  const machine = machineWithLamps()
  await machine.clock.advance(5000)
  const digest = machine.assign(content('on', flags))
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack'].includes(machine.status.phase)
  const effects = await runThrough(machine, ended, mishap)
  return { effects, phase: machine.status?.phase, files: machine.hostFiles() }
}

test.each([
  ['a good assignment', '--v=3', 'Applied'],
  ['one that makes the kubelet crash', BAD, 'RolledBack'],
])('new kind comes to the same end after %s when the agent or the machine dies after any effect', async (_, flags, phase) => {
  const calm = await runToEnd({ flags })
  expect(calm.phase).toBe(phase)
  for (let effect = 1; effect <= calm.effects; effect++)
    for (const story of [{ isPowerCut: false }, { isPowerCut: true }, { torn: true }]) {
      const { torn = false, ...rest } = { isPowerCut: false, ...story }
      const killed = await runToEnd({ flags, death: { afterEffect: effect, torn }, ...rest })
      expect({ phase: killed.phase, files: killed.files }, `${JSON.stringify(story)} after effect ${effect}`).toEqual({
        phase,
        files: calm.files,
      })
    }
})

test('new kind is as assigned or as before when the disk is full from any effect on, and works again', async () => {
  const before = machineWithLamps().hostFiles()
  const calm = await runToEnd({ flags: '--v=3' })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, files } = await runToEnd({ flags: '--v=3', death: { afterEffect: effect }, disk: 'ENOSPC' })
    expect(files, `full from effect ${effect}`).toEqual(phase === 'Applied' ? calm.files : before)
  }
})
