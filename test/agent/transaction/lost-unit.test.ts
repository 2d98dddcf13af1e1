/** Units that run although the configuration says nothing of that, and whose file goes. */
import { expect, test } from 'vitest'
import { hostOf } from '../support/kind-stories.ts'
import { Machine } from '../support/machine.ts'
import { runThrough } from '../support/run-through.ts'

const NAME = 'tuned.service'
const PATH = `/etc/systemd/system/${NAME}`
const CONTENT = '[Service]\nExecStart=/bin/sleep infinity\n'

const withUnits = (...units: object[]) => ({ host: JSON.stringify({ units }) })
const show = (machine: Machine, name = NAME) => machine.host.services.show(name)

/** A host with a unit from Git that somebody else started. */
async function machineWithUnit(unit: object = { name: NAME, content: CONTENT }): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(withUnits(unit)), 'Applied')
  await machine.host.services.start(NAME)
  return machine
}

test('agent stops a unit that runs when the commit takes its only file away', async () => {
  const machine = await machineWithUnit()

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await show(machine)).toMatchObject({ exists: false, isGone: true, active: 'inactive' })
  expect(machine.host.files.text(PATH)).toBeUndefined()
})

test('agent stops a unit by its own file, before that goes', async () => {
  const machine = await machineWithUnit()
  const stopped: (string | undefined)[] = []
  const { services } = machine.host
  const stop = services.stop.bind(services)
  services.stop = async (name) => {
    stopped.push(`${name} ${machine.host.files.text(PATH)}`)
    await stop(name)
  }

  machine.annotate(null)
  await machine.until('Reverted')

  expect(stopped).toEqual([`${NAME} ${CONTENT}`])
})

test('agent starts a unit again with its file when the commit that took it away is undone', async () => {
  const machine = await machineWithUnit()

  machine.assign({ flags: '--container-runtime-endpoint=unix:///not/there.sock' })
  expect((await machine.until('RolledBack')).error?.reason).toBe('HealthCheckFailed')

  expect(await show(machine)).toMatchObject({ exists: true, active: 'active' })
  expect(machine.host.files.text(PATH)).toBe(CONTENT)
})

test('agent restarts a unit that the host has another file for', async () => {
  const machine = new Machine()
  machine.host.files.put(`/usr/lib/systemd/system/${NAME}`, CONTENT)
  machine.start()
  await machine.untilDigest(machine.assign(withUnits({ name: NAME, content: `${CONTENT}Nice=1\n` })), 'Applied')
  await machine.host.services.start(NAME)
  const { mainPid } = await show(machine)

  machine.annotate(null)
  await machine.until('Reverted')

  const after = await show(machine)
  expect(after).toMatchObject({ exists: true, active: 'active' })
  expect(after.mainPid).not.toBe(mainPid)
})

test('agent starts a unit again that it stopped, when its file came back with the same commit', async () => {
  const machine = await machineWithUnit()
  const { services, files } = machine.host
  const reload = services.reload.bind(services)
  services.reload = async () => {
    // A package, or a generator.
    if (files.text(PATH) === undefined) files.put(`/usr/lib/systemd/system/${NAME}`, CONTENT)
    await reload()
  }

  machine.annotate(null)
  await machine.until('Reverted')

  expect(await show(machine)).toMatchObject({ exists: true, active: 'active' })
})

test('agent leaves a unit stopped that does not run when its file goes', async () => {
  const machine = await machineWithUnit()
  await machine.host.services.stop(NAME)

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(await show(machine)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent stops a unit that somebody started after the plan was made, when its file is gone', async () => {
  const machine = await machineWithUnit()
  const { services } = machine.host
  const stop = services.stop.bind(services)
  let stops = 0
  services.stop = async (name) => {
    await stop(name)
    if (++stops === 1) await services.start(name)
  }

  await machine.untilDigest(machine.assign({ flags: '--v=3' }), 'Applied')

  expect(stops).toBe(2)
  expect(await show(machine)).toMatchObject({ exists: false, active: 'inactive' })
})

test('agent undoes a commit that takes the file away from a unit that is to run', async () => {
  const files = [{ path: PATH, content: CONTENT }]
  const machine = new Machine()
  machine.start()
  const unit = { name: NAME, state: 'running' }
  await machine.untilDigest(machine.assign({ host: JSON.stringify({ files, units: [unit] }) }), 'Applied')

  machine.assign(withUnits(unit))

  expect((await machine.until('Applied', 'RolledBack', 'Failed')).error).toEqual({
    reason: 'ApplyFailed',
    message: `failed to sync: internal failure: systemctl: Unit ${NAME} not found.`,
  })
  expect(await show(machine)).toMatchObject({ exists: true, active: 'active' })
})

test('agent proves a commit that took a unit away after it died at the commit mark', async () => {
  const machine = await machineWithUnit()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.clock.runUntil(() => machine.host.files.text('/var/lib/nodewave/journal.jsonl')?.includes('committed') ?? false)
  machine.kill()
  machine.start()

  expect(await machine.untilDigest(digest, 'Applied')).toMatchObject({ phase: 'Applied' })
  expect(await show(machine)).toMatchObject({ exists: false, active: 'inactive' })
})

/** Assigns content without the unit to a host that runs it, and lets the agent die after that many effects; 0: not at all. */
async function takenOut(
  flags: string,
  { effect, isPowerCut = false }: { readonly effect: number; readonly isPowerCut?: boolean },
) {
  const machine = await machineWithUnit()
  machine.kill()
  const digest = machine.assign({ flags })
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack'].includes(machine.status.phase)
  const effects = await runThrough(machine, ended, { ...(effect > 0 && { death: { afterEffect: effect } }), isPowerCut })
  return { effects, phase: machine.status?.phase, host: await hostOf(machine) }
}

test.each([
  ['Applied', '--v=3', 'false false inactive'],
  ['RolledBack', '--container-runtime-endpoint=unix:///not/there.sock', 'true false active'],
])('host is the same after a unit was taken out and the agent died anywhere: %s', async (phase, flags, unit) => {
  const calm = await takenOut(flags, { effect: 0 })
  expect({ phase: calm.phase, unit: calm.host.units[NAME] }).toEqual({ phase, unit })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const killed = await takenOut(flags, { effect })
    expect({ phase: killed.phase, host: killed.host }, `killed after effect ${effect}`).toEqual({ phase, host: calm.host })
  }
})

test('files of a host are the same after a unit was taken out and the power went anywhere', async () => {
  const calm = await takenOut('--v=3', { effect: 0 })
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, host } = await takenOut('--v=3', { effect, isPowerCut: true })
    expect({ phase, host }, `power cut after effect ${effect}`).toEqual({ phase: 'Applied', host: calm.host })
  }
})

test.each([
  ['openrc', '/etc/init.d/tiny'],
  ['sysvinit', '/etc/init.d/tiny'],
  ['runit', '/etc/sv/tiny/run'],
] as const)(
  'agent stops a service of %s by its script before the commit takes that away, and undo starts it',
  async (serviceManager, path) => {
    const machine = new Machine({ serviceManager })
    machine.host.injectCrash(({ config }) => (config?.includes('maxPods: 13') ? 'bad luck' : undefined))
    machine.start()
    const withScript = { host: JSON.stringify({ files: [{ path, content: '#!/bin/sh\n', mode: '0755' }] }) }
    const digest = machine.assign(withScript)
    await machine.untilDigest(digest, 'Applied')
    await machine.host.services.start('tiny.service')

    machine.assign({ config: 'maxPods: 13\n' })
    expect((await machine.until('RolledBack', 'Failed')).phase).toBe('RolledBack')
    expect(await show(machine, 'tiny.service')).toMatchObject({ exists: true, active: 'active' })

    await machine.untilDigest(machine.assign({ config: 'maxPods: 12\n' }), 'Applied')
    machine.host.files.put(path, '#!/bin/sh\n')
    expect(await show(machine, 'tiny.service')).toMatchObject({ exists: true, active: 'inactive' })
  },
)
