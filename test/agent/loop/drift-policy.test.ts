import { expect, test } from 'vitest'
import type { DriftRules } from '../../../src/protocol/drift-policy.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const MOTD = '/etc/motd'

interface Host {
  readonly drift?: DriftRules
  readonly units?: readonly object[]
}

/** A machine of a pool, whose file `/etc/motd` and whose content were applied and have held their trial. */
async function applied({ drift, units }: Host, more: object = {}): Promise<Machine> {
  const machine = new Machine()
  machine.start()
  const files = [{ path: MOTD, content: 'hello\n' }]
  machine.assign({ host: JSON.stringify({ files, units, drift }) }, { POOL: 'workers', ...more })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  return machine
}

test.each([
  [undefined, 'hello\n', undefined],
  [{ policy: 'Repair' }, 'hello\n', undefined],
  [{ policy: 'Report' }, 'changed\n', [MOTD]],
  [{ policy: 'Ignore' }, 'changed\n', undefined],
  [{ policy: 'Report', kinds: { files: 'Repair' } }, 'hello\n', undefined],
  [{ kinds: { files: 'Report' } }, 'changed\n', [MOTD]],
  [{ policy: 'Repair', kinds: { units: 'Ignore' } }, 'hello\n', undefined],
] as const)('drift policy %j leaves a changed file as %j and reports %j', async (drift, text, reported) => {
  const machine = await applied(drift === undefined ? {} : { drift })
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(6 * MINUTE)

  expect(machine.host.files.text(MOTD)).toBe(text)
  expect(machine.status?.drift).toEqual(reported)
  expect(machine.status?.phase).toBe('Applied')
})

test('next assignment puts back what the policy only reports', async () => {
  const machine = await applied({ drift: { policy: 'Report' } })
  machine.host.files.put(MOTD, 'changed\n')
  await machine.clock.advance(6 * MINUTE)
  const text = machine.node.annotations['nodewave.io/desired-config'] ?? ''
  machine.annotate({ ...JSON.parse(text), ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await machine.clock.runUntil(
    () => machine.status?.assignedAt === '2026-11-21T08:00:00.000Z' && machine.status.phase === 'Applied',
  )

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  expect(machine.status).not.toHaveProperty('drift')
})

const READ_BY_CONTAINERD = [{ name: 'containerd.service', restartOn: [MOTD] }]

test('repair that restarts a unit waits for the pool where the policy asks for it, and is only reported where nothing is said', async () => {
  const asking = await applied({ drift: { policy: 'Repair' }, units: READ_BY_CONTAINERD })
  const silent = await applied({ units: READ_BY_CONTAINERD })
  for (const machine of [asking, silent]) {
    machine.host.files.put(MOTD, 'changed\n')
    await machine.clock.advance(6 * MINUTE)
  }

  expect(silent.status).toMatchObject({ phase: 'Applied', drift: [MOTD] })
  expect(asking.status).toMatchObject({ phase: 'Blocked', needs: 'restart', error: { reason: 'ChangedByOthers' }, drift: [MOTD] })
  const text = asking.node.annotations['nodewave.io/desired-config'] ?? ''
  asking.annotate({ ...JSON.parse(text), ASSIGNED: '2026-11-21T08:00:00.000Z' })
  await asking.clock.runUntil(() => asking.status?.assignedAt === '2026-11-21T08:00:00.000Z' && asking.status.phase === 'Applied')
  expect(asking.host.files.text(MOTD)).toBe('hello\n')
})

/** Another tool, that changes the file back whenever it was put right ten minutes ago. */
async function fought(machine: Machine, minutes: number): Promise<number> {
  let changes = 0
  for (let passed = 0; passed < minutes; passed += 10) {
    if (machine.host.files.text(MOTD) === 'hello\n') changes++
    machine.host.files.put(MOTD, 'changed\n')
    await machine.clock.advance(10 * MINUTE)
  }
  return changes
}

test('file that another tool changes again and again is named, and left alone', async () => {
  const machine = await applied({})

  // It is put back four times, and what the other tool says after that stays.
  expect(await fought(machine, 180)).toBe(5)
  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [MOTD], contested: [MOTD] })
  expect(machine.host.files.text(MOTD)).toBe('changed\n')
})

test('file that is changed less often than the limit is repaired each time', async () => {
  const machine = await applied({ drift: { repairsPerHour: 10 } })

  expect(await fought(machine, 180)).toBe(18)
  expect(machine.status).not.toHaveProperty('contested')
})

test('file that was left to another tool is put right by the next content, and fought for again', async () => {
  const machine = await applied({ drift: { repairsPerHour: 2 } })
  await fought(machine, 60)
  expect(machine.status?.contested).toEqual([MOTD])
  const files = [{ path: MOTD, content: 'hello\n' }]
  const digest = machine.assign({ host: JSON.stringify({ files }) }, { POOL: 'workers' })
  await machine.untilDigest(digest, 'Applied')

  expect(machine.host.files.text(MOTD)).toBe('hello\n')
  await machine.clock.advance(11 * MINUTE)
  expect(machine.status).not.toHaveProperty('contested')
})

test('repair within the budget that another tool undoes is not asked for any more', async () => {
  const machine = await applied({ drift: { policy: 'Repair', repairsPerHour: 2 }, units: READ_BY_CONTAINERD })
  for (let turn = 1; turn <= 3; turn++) {
    machine.host.files.put(MOTD, 'changed\n')
    await machine.clock.advance(6 * MINUTE)
    const text = machine.node.annotations['nodewave.io/desired-config'] ?? ''
    if (machine.status?.phase !== 'Blocked') break
    machine.annotate({ ...JSON.parse(text), ASSIGNED: `2026-11-21T08:0${turn}:00.000Z` })
    await machine.until('Applied')
  }

  expect(machine.status).toMatchObject({ phase: 'Applied', drift: [MOTD], contested: [MOTD] })
})
