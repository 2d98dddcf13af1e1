import { expect, test } from 'vitest'
import { HOST_POLICY } from '../../../src/agent/paths.ts'
import type { HostDocument } from '../../../src/protocol/host-document.ts'
import { Machine } from '../support/machine.ts'
import { runThrough } from '../support/run-through.ts'

const MINUTE = 60_000
const BAD_FLAGS = '--container-runtime-endpoint=unix:///not/there.sock'
const FILE = { path: '/etc/motd', content: 'x\n' }
const STEPS = { before: ['leave'], after: ['enter'] }
const POLICY = `steps:
  leave: {command: [/bin/mark, out], undo: [/bin/unmark, out]}
  enter: {command: [/bin/mark, in], undo: [/bin/unmark, in], timeoutSeconds: 20}
  fails: {command: [/bin/false], undo: [/bin/mark, failed]}
  slow: {command: [/bin/sleep, "300"]}
  stubborn: {command: [/bin/mark, stubborn], undo: [/bin/false]}
`

async function machineWith(policy = POLICY): Promise<Machine> {
  const machine = new Machine({ units: ['containerd.service'] })
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from(policy), { mode: 0o644, uid: 0, gid: 0 })
  await machine.clock.advance(5000)
  return machine
}

const content = (document: HostDocument, flags?: string) => ({
  host: JSON.stringify(document),
  ...(flags === undefined ? {} : { flags }),
})

test('steps run once, before and after a change', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ files: [FILE], steps: STEPS }, '--v=3'))
  await machine.until('Applied')
  await machine.clock.advance(20 * MINUTE)

  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/mark in'])
  expect(machine.status?.drift ?? []).toEqual([])
})

test('steps find the host as it was, and as it is to be', async () => {
  const machine = await machineWith()
  const { steps } = machine.host
  const found: (string | undefined)[] = []
  const run = steps.run.bind(steps)
  steps.run = (...args) => {
    found.push(machine.host.files.text(FILE.path))
    return run(...args)
  }
  machine.start()
  machine.assign(content({ files: [FILE], steps: STEPS }))
  await machine.until('Applied')

  expect(found).toEqual([undefined, 'x\n'])
})

test.each([
  ['a step after the change that is done', '--v=3', '/bin/mark in', 'Applied'],
  ['an undo that is done', BAD_FLAGS, '/bin/unmark out', 'RolledBack'],
] as const)('%s is not run again by the next agent', async (_, flags, line, phase) => {
  const run = async (afterEffect?: number) => {
    const machine = await machineWith()
    const { ran } = machine.host.steps
    let next: number | undefined
    const onEffect = (count: number): void => {
      if (ran.includes(line)) next ??= count
    }
    machine.assign(content({ files: [FILE], steps: STEPS }, flags))
    const agent = machine.start(afterEffect === undefined ? { onEffect } : { afterEffect })
    await machine.clock.runUntil(() => agent.dead || machine.status?.phase === phase)
    if (agent.dead) machine.start()
    await machine.until(phase)
    return { next, times: ran.filter((each) => each === line).length }
  }
  const { next } = await run()
  expect(await run(next)).toMatchObject({ times: 1 })
})

test('steps are not run where a configuration changes nothing, nor for repairs of drift', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ files: [FILE] }))
  await machine.until('Applied')
  await machine.untilDigest(machine.assign(content({ files: [FILE], steps: STEPS })), 'Applied')
  machine.host.files.put(FILE.path, 'changed by hand\n')
  await machine.clock.advance(20 * MINUTE)

  expect(machine.host.files.text(FILE.path)).toBe('x\n')
  expect(machine.host.steps.ran).toEqual([])
})

test('steps run around a reboot that somebody ordered', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ steps: STEPS }), { GRANT: 'reboot', REBOOT: await machine.host.services.bootId() })
  await machine.clock.runUntil(() => machine.host.reboots === 1)
  expect(machine.host.steps.ran).toEqual(['/bin/mark out'])
  await machine.until('Applied')

  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/mark in'])
})

test('a step that fails before the change leaves the host as it was, and the report has its last lines', async () => {
  const machine = await machineWith()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ files: [FILE], steps: { before: ['leave', 'fails'] } }))
  const { error } = await machine.until('RolledBack')

  expect(error).toEqual({
    reason: 'StepFailed',
    message: 'failed to validate config: step "fails" (/bin/false): exit 1: first line | no such pool',
  })
  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/false', '/bin/mark failed', '/bin/unmark out'])
  expect(machine.hostFiles()).toEqual({ ...before, '/srv/marks/failed': '644 0:0 ' })
})

test('a step that takes too long counts as failed', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ files: [FILE], steps: { before: ['slow'] } }))
  const { error } = await machine.until('RolledBack')

  expect(error?.message).toBe('failed to validate config: step "slow" (/bin/sleep): it took longer than 60 s')
})

test('a step that fails after the change undoes all of it, and what was run, backwards', async () => {
  const machine = await machineWith()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ files: [FILE], steps: { before: ['leave'], after: ['enter', 'fails'] } }, '--v=3'))
  const { error } = await machine.until('RolledBack')

  expect(error?.reason).toBe('StepFailed')
  expect(machine.host.steps.ran).toEqual([
    '/bin/mark out',
    '/bin/mark in',
    '/bin/false',
    '/bin/mark failed',
    '/bin/unmark in',
    '/bin/unmark out',
  ])
  expect(machine.hostFiles()).toEqual({ ...before, '/srv/marks/failed': '644 0:0 ' })
})

test('steps after a change are neither run nor undone when the kubelet does not become healthy', async () => {
  const machine = await machineWith()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ files: [FILE], steps: STEPS }, BAD_FLAGS))
  await machine.until('RolledBack')

  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/unmark out'])
  expect(machine.hostFiles()).toEqual(before)
})

test('an undo that fails needs a person: the status says so', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ files: [FILE], steps: { before: ['stubborn'] } }, BAD_FLAGS))
  const { error } = await machine.until('Failed')

  expect(error?.message).toContain('undoing it failed too: failed to validate config: undo of step "stubborn" (/bin/false)')
  expect(machine.host.files.text(FILE.path)).toBeUndefined()
})

test('a change that needs a reboot has its steps before it and after it', async () => {
  const machine = await machineWith()
  machine.start()
  machine.assign(content({ files: [FILE], rebootOn: [FILE.path], steps: STEPS }), { GRANT: 'reboot' })
  await machine.clock.runUntil(() => machine.host.reboots === 1)
  expect(machine.host.steps.ran).toEqual(['/bin/mark out'])
  await machine.until('Applied')

  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/mark in'])
})

test('a change that fails after its reboot has its steps undone after the boot back', async () => {
  const machine = await machineWith()
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ files: [FILE], rebootOn: [FILE.path], steps: { before: ['leave'], after: ['fails'] } }), {
    GRANT: 'reboot',
  })
  await machine.clock.runUntil(() => machine.host.reboots === 2)
  expect(machine.host.files.text(FILE.path)).toBeUndefined()
  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/false'])
  await machine.until('RolledBack')

  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/false', '/bin/mark failed', '/bin/unmark out'])
  expect(machine.hostFiles()).toEqual({ ...before, '/srv/marks/failed': '644 0:0 ' })
})

test.each([
  ['another name', POLICY, 'unknown'],
  ['no steps', 'kinds: [files, steps]\n', 'leave'],
  ['a name that every object has', POLICY, 'constructor'],
])('a step is refused where the policy has %s, and the host stays as it is', async (_, policy, name) => {
  const machine = await machineWith(policy)
  const before = machine.hostFiles()
  machine.start()
  machine.assign(content({ files: [FILE], steps: { before: [name] } }))
  const { error } = await machine.until('RolledBack')

  expect(error).toEqual({
    reason: 'StepUnknown',
    message: `failed to validate config: run step "${name}": the policy of this host has no such step; add it to "${HOST_POLICY}", or remove it from Git`,
  })
  expect(machine.hostFiles()).toEqual(before)
})

test('a step that the policy no longer has keeps drift from being repaired, and the assignment as it is', async () => {
  const machine = await machineWith()
  const unit = { name: 'a.service', content: '[Service]\nExecStart=/a\n', state: 'running' as const }
  machine.start()
  machine.assign(content({ units: [unit], drift: { policy: 'Repair' }, steps: STEPS }))
  await machine.until('Applied')
  await machine.host.files.writeAtomic(HOST_POLICY, Buffer.from('steps: {}\n'), { mode: 0o644, uid: 0, gid: 0 })
  machine.host.files.put('/etc/systemd/system/a.service', 'changed by hand\n')
  await machine.clock.advance(20 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', drift: ['/etc/systemd/system/a.service'] })
  expect(machine.host.steps.ran).toEqual(['/bin/mark out', '/bin/mark in'])
})

test.each([
  ['a program without its place', 'steps: {a: {command: [reboot]}}', 'expected the absolute path of a program'],
  ['a line for a shell', 'steps: {a: {command: "/bin/true; reboot"}}', 'steps.a.command'],
  ['a timeout of days', 'steps: {a: {command: [/bin/true], timeoutSeconds: 864000}}', 'steps.a.timeoutSeconds'],
  ['an unknown field', 'steps: {a: {command: [/bin/true], env: {A: b}}}', 'there is no rule "env"'],
])('a policy with %s allows nothing', async (_, policy, expected) => {
  const machine = await machineWith(policy)
  machine.start()
  machine.assign(content({ files: [FILE] }))
  await machine.clock.runUntil(() => machine.status?.error !== undefined)

  expect(machine.status?.error?.reason).toBe('HostPolicyUnreadable')
  expect(machine.status?.error?.message).toContain(expected)
})

/** The same end, and what was run is undone, whenever agent or machine die. */
test.each([
  ['stays after a good assignment', '--v=3', 'Applied'],
  ['is as before after one that makes the kubelet crash', BAD_FLAGS, 'RolledBack'],
] as const)('a host with steps %s, whenever the agent or the machine dies', async (_, flags, phase) => {
  const run = async (afterEffect?: number, { torn = false, isPowerCut = false } = {}) => {
    const machine = await machineWith()
    const before = machine.hostFiles()
    const digest = machine.assign(content({ files: [FILE], steps: STEPS }, flags))
    const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
    const death = afterEffect === undefined ? {} : { death: { afterEffect, torn } }
    const effects = await runThrough(machine, ended, { ...death, isPowerCut })
    await machine.clock.advance(MINUTE)
    return { effects, phase: machine.status?.phase, files: machine.hostFiles(), before, ran: machine.host.steps.ran }
  }
  const calm = await run()
  expect(calm.phase).toBe(phase)
  if (phase === 'RolledBack') expect(calm.files).toEqual(calm.before)
  for (let effect = 1; effect <= calm.effects; effect++)
    for (const how of [{}, { torn: true }, { isPowerCut: true }]) {
      const end = await run(effect, how)
      expect({ phase: end.phase, files: end.files }, `${JSON.stringify(how)} after effect ${effect}: ${end.ran.join()}`).toEqual({
        phase,
        files: calm.files,
      })
    }
})

test('a disk that is full at any effect leaves a host with steps as assigned or as before', async () => {
  const run = async (fullFrom?: number) => {
    const machine = await machineWith()
    const before = machine.hostFiles()
    const { faults } = machine.host
    const digest = machine.assign(content({ files: [FILE], steps: STEPS }, '--v=3'))
    const agent = machine.start({
      onEffect: (count) => {
        if (count === fullFrom) faults.disk = 'ENOSPC'
      },
    })
    const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
    await machine.clock.runUntil(() => faults.disk !== undefined || ended())
    if (faults.disk !== undefined) await machine.clock.advance(10 * MINUTE)
    faults.disk = undefined
    await machine.clock.runUntil(ended)
    return { effects: agent.effects, phase: machine.status?.phase, files: machine.hostFiles(), before }
  }
  const calm = await run()
  for (let effect = 1; effect <= calm.effects; effect++) {
    const { phase, files, before } = await run(effect)
    expect(files, `full from effect ${effect}`).toEqual(phase === 'Applied' ? calm.files : before)
  }
})
