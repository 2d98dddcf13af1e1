import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeTrial, type TrialLook, trialFrom } from '../../../src/agent/health/trial-judge.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const memory = (machine: Machine, name: string) => machine.host.files.text(`/var/lib/nodewave/meta/${name}`)?.trim()

test('agent makes a configuration last-known-good when its health has held for ten minutes', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(9 * MINUTE)
  expect(memory(machine, 'last-known-good')).toBeUndefined()
  await machine.clock.advance(2 * MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent begins the trial again when the same content is applied once more, over what others have changed', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(9 * MINUTE)
  machine.host.files.put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS="--v=4"\n')
  machine.assign({ flags: '--v=3' }, { REVISION: 'again' })
  await machine.clock.advance(9 * MINUTE)
  expect(machine.host.files.text('/etc/default/kubelet')).toContain('--v=3')
  expect(memory(machine, 'last-known-good')).toBeUndefined()
  await machine.clock.advance(2 * MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent goes on with the trial when the same content is assigned again, and nothing has to be changed for it', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(9 * MINUTE)
  machine.assign({ flags: '--v=3' }, { REVISION: 'again' })
  await machine.clock.advance(2 * MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent takes the length of the trial from the host document', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ host: JSON.stringify({ kubelet: { trialSeconds: 0 } }), flags: '--v=3' })

  expect(await machine.until('Applied')).toMatchObject({ digest, lastKnownGood: digest })
})

test.each([-5, 1e300])('agent refuses a trial of %d seconds: none at all, or one without an end', async (trialSeconds) => {
  const machine = new Machine()
  machine.start()
  machine.assign({ host: JSON.stringify({ kubelet: { trialSeconds } }), flags: '--v=3' })

  expect((await machine.until('Applied', 'RolledBack')).error?.message).toContain('kubelet.trialSeconds')
})

test('agent goes back to the local configuration when the kubelet goes bad in the first trial', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(3 * MINUTE)
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))

  const status = await machine.until('RolledBack')

  expect(status).toMatchObject({ digest, assigned: digest })
  expect(status.error).toEqual({
    reason: 'TrialFailed',
    message: 'failed to validate config: kubelet went bad during its trial: out of luck',
  })
  expect(status).not.toHaveProperty('active')
  expect(machine.hostFiles()).toEqual(before)
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})

test('agent shows that it goes back as soon as it does, and the change as applied no more', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(3 * MINUTE)
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.until('RolledBack')

  const shown = machine.node.patches.map((patch) => parseAgentStatus(patch['nodewave.io/status'] ?? undefined))
  expect(shown.map((status) => [status?.phase, status?.digest, status?.error?.reason])).toEqual([
    ['Applying', digest, undefined],
    ['Applied', digest, undefined],
    ['Applying', digest, 'TrialFailed'],
    ['RolledBack', digest, 'TrialFailed'],
  ])
})

test('agent that is killed when it has begun to go back shows the change as applied again only when its trial has passed', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(3 * MINUTE)
  const { injectCrash } = machine.host
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))
  await machine.clock.runUntil(() => machine.status?.phase === 'Applying')
  machine.kill()
  injectCrash.call(machine.host, () => undefined)
  machine.start()
  await machine.clock.advance(9 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applying', digest, active: digest })
  await machine.untilDigest(digest, 'Applied')

  expect(machine.status).toMatchObject({ active: digest, lastKnownGood: digest })
})

test('agent goes back to what was last known good, with its binary, when there is no network at all', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ version: '1.36.1', host: JSON.stringify({ kubelet: machine.release('1.36.1') }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(bad, 'Applied')
  machine.host.faults.network = 'lost'
  machine.artifacts.clear()
  await machine.clock.advance(MINUTE)
  machine.host.injectCrash(({ version }) => (version === 'v1.36.3' ? 'panic: out of luck' : undefined))

  await machine.clock.runUntil(() => machine.host.services.healthyVersion() === 'v1.36.1')
  machine.host.faults.network = undefined
  expect(await machine.until('RolledBack')).toMatchObject({ digest: bad, active: good, lastKnownGood: good })
  expect(JSON.parse(machine.currentConfig ?? '').DIGEST).toBe(good)
})

test.each<readonly [what: string, jump: number, moved: number, later: number]>([
  ['is put back', -120 * MINUTE, -120 * MINUTE, MINUTE],
  ['is put forward', 120 * MINUTE, 0, MINUTE],
  ['is put back to a time after that start', -30_000, 0, MINUTE],
  ['is put back', -120 * MINUTE, -120 * MINUTE, 60 * MINUTE],
])(
  'agent reports when the kubelet was started by a clock that %s, by %i ms, %i ms, %i ms after the change',
  async (_, jump, moved, later) => {
    const machine = new Machine()
    machine.start()
    machine.assign({ flags: '--v=3' })
    const { kubeletStartedAt = '' } = await machine.until('Applied')
    await machine.clock.advance(later)
    machine.clock.jump(jump)
    await machine.clock.advance(5 * MINUTE)

    const shown = machine.status
    expect(shown?.phase).toBe('Applied')
    expect(Date.parse(shown?.kubeletStartedAt ?? '') - Date.parse(kubeletStartedAt)).toBe(moved)
  },
)

test('agent goes back by the evidence of the host alone when the Node is slow to show it', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ version: '1.36.1', host: JSON.stringify({ kubelet: machine.release('1.36.1') }) })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const bad = machine.assign({ version: '1.36.3', host: JSON.stringify({ kubelet: machine.release('1.36.3') }) })
  await machine.untilDigest(bad, 'Applied')
  machine.node.kubeletTold = () => {}
  machine.host.injectCrash(({ version }) => (version === 'v1.36.3' ? 'panic: out of luck' : undefined))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', active: good })
})

type Report = (age: number, ready: boolean) => void

/** Etcd is restored to what the kubelet reported before the change; the kubelet, which knows nothing of it, reports nothing new. */
async function restoredInTrial(
  machine: Machine,
  { ready }: { readonly ready: boolean },
): Promise<{ readonly digest: string; readonly report: Report }> {
  const told = machine.node.kubeletTold.bind(machine.node)
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(MINUTE)
  machine.node.kubeletTold = () => {}
  const report = (age: number, ready: boolean) => told({ ready, kubeletVersion: undefined, heartbeat: machine.clock.now() - age })
  report(5 * MINUTE, ready)
  return { digest, report }
}

test('agent holds no Node against the kubelet that etcd was restored to, until the kubelet reports again', async () => {
  const machine = new Machine()
  const { digest, report } = await restoredInTrial(machine, { ready: false })
  await machine.clock.advance(6 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  report(0, true)
  await machine.clock.advance(5 * MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent that is started again knows a Node that etcd was restored to by the heartbeat that proved the change', async () => {
  const machine = new Machine()
  const { digest } = await restoredInTrial(machine, { ready: false })
  machine.kill()
  machine.start()
  await machine.clock.advance(6 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
})

test('agent ends no trial well by a Node that etcd was restored to', async () => {
  const machine = new Machine()
  const { digest, report } = await restoredInTrial(machine, { ready: true })
  await machine.clock.advance(12 * MINUTE)
  expect(memory(machine, 'last-known-good')).toBeUndefined()
  report(0, true)
  await machine.clock.advance(MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent goes back when the kubelet reports that it is not Ready after etcd was restored', async () => {
  const machine = new Machine()
  const { digest, report } = await restoredInTrial(machine, { ready: false })
  await machine.clock.advance(3 * MINUTE)
  report(0, false)

  expect(await machine.until('RolledBack')).toMatchObject({ digest, error: { reason: 'TrialFailed' } })
})

test('agent goes back when the kubelet has not reported for a quarter of an hour after etcd was restored', async () => {
  const machine = new Machine()
  const { digest } = await restoredInTrial(machine, { ready: false })
  await machine.clock.advance(15 * MINUTE)
  expect(machine.status).toMatchObject({ phase: 'Applied', digest })
  await machine.clock.advance(3 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'RolledBack', digest, error: { reason: 'TrialFailed' } })
})

test('agent does not fall back when an administrator restarts the kubelet during the trial', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  for (let times = 0; times < 5; times++) {
    await machine.clock.advance(MINUTE)
    await machine.host.services.restart('kubelet.service')
  }
  await machine.clock.advance(10 * MINUTE)

  expect(memory(machine, 'active')).toBe(digest)
  expect(memory(machine, 'last-known-good')).toBe(digest)
})

test('agent leaves a kubelet that an administrator has stopped during the trial as it is', async () => {
  const machine = new Machine()
  machine.start()
  const digest = machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  await machine.clock.advance(MINUTE)
  await machine.host.services.stop('kubelet.service')
  await machine.clock.advance(20 * MINUTE)
  expect(await machine.host.services.show('kubelet.service')).toMatchObject({ active: 'inactive' })
  expect(memory(machine, 'last-known-good')).toBeUndefined()
  await machine.host.services.start('kubelet.service')
  await machine.clock.advance(MINUTE)

  expect(memory(machine, 'active')).toBe(digest)
  expect(memory(machine, 'last-known-good')).toBe(digest)
})

const aLook = (at: number, ok: boolean, restarts: number): TrialLook => ({
  at,
  now: at,
  runtime: { ok: true, detail: '' },
  units: [],
  node: { kind: 'fine' },
  heartbeat: undefined,
  isUnheard: false,
  wasAway: false,
  isStarting: false,
  service: {
    exists: true,
    isGone: false,
    active: 'active',
    enabled: true,
    isStatic: false,
    mainPid: 1,
    restarts,
    runningFor: 0,
    lastExit: 0,
  },
  health: { ok, detail: '' },
})

test('trial never passes while the kubelet is not healthy, and never fails one that always is', () => {
  const looks = fc.array(fc.record({ pause: fc.integer({ min: 1, max: 60_000 }), ok: fc.boolean() }), {
    minLength: 1,
    maxLength: 50,
  })
  fc.assert(
    fc.property(looks, (sequence) => {
      let record = trialFrom({ digest: 'd', change: 't1' }, 0)
      let at = 0
      for (const { pause, ok } of sequence) {
        at += pause
        const judged = judgeTrial(record, aLook(at, ok, 0), {
          duration: 600_000,
          unwell: 30_000,
          unready: 90_000,
          lost: 60_000,
          down: 600_000,
        })
        if (judged.verdict.kind === 'passed') expect(ok && at >= 600_000).toBe(true)
        if (judged.verdict.kind === 'failed') expect(ok).toBe(false)
        record = judged.record
      }
    }),
  )
})

test('trial fails at the instant at which the kubelet has been unwell for as long as it may be', () => {
  const limits = { duration: 600_000, unwell: 30_000, unready: 90_000, lost: 60_000, down: 600_000 }
  const begun = judgeTrial(trialFrom({ digest: 'd', change: 't1' }, 0), aLook(1000, false, 0), limits)

  expect(judgeTrial(begun.record, aLook(30_999, false, 0), limits).verdict.kind).toBe('holding')
  expect(judgeTrial(begun.record, aLook(31_000, false, 0), limits).verdict.kind).toBe('failed')
})

test('trial fails when the Node has complained for as long as it may, counted from its first complaint', () => {
  const limits = { duration: 600_000, unwell: 30_000, unready: 90_000, lost: 60_000, down: 600_000 }
  const complains = (at: number): TrialLook => ({ ...aLook(at, true, 0), node: { kind: 'complaint', message: 'NotReady' } })
  const fine = judgeTrial(trialFrom({ digest: 'd', change: 't1' }, 0), aLook(1000, true, 0), limits)
  const starting = judgeTrial(fine.record, { ...complains(50_000), isStarting: true }, limits)
  const begun = judgeTrial(starting.record, complains(100_000), limits)

  expect(begun.verdict.kind).toBe('holding')
  expect(judgeTrial(begun.record, complains(189_999), limits).verdict.kind).toBe('holding')
  expect(judgeTrial(begun.record, complains(190_000), limits).verdict).toEqual({ kind: 'failed', message: 'NotReady' })
})

test('trial fails by what the kubelet reports after the clock was put back', () => {
  const limits = { duration: 600_000, unwell: 30_000, unready: 90_000, lost: 60_000, down: 600_000 }
  const shows = (at: number, now: number, heartbeat: number): TrialLook => ({ ...aLook(at, true, 0), now, heartbeat })
  const complains = (look: TrialLook): TrialLook => ({ ...look, node: { kind: 'complaint', message: 'NotReady' } })
  const ahead = judgeTrial(trialFrom({ digest: 'd', change: 't1' }, 0), shows(10_500, 3_610_500, 3_605_000), limits)
  const back = judgeTrial(ahead.record, complains(shows(15_500, 15_500, 10_000)), limits)

  expect(judgeTrial(back.record, complains(shows(105_499, 105_499, 10_000)), limits).verdict.kind).toBe('holding')
  expect(judgeTrial(back.record, complains(shows(105_500, 105_500, 10_000)), limits).verdict.kind).toBe('failed')
})

test('agent tries a configuration in full when it comes back after another one', async () => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2' })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  const tried = machine.assign({ flags: '--v=3' })
  await machine.untilDigest(tried, 'Applied')
  await machine.clock.advance(MINUTE)
  machine.assign({ flags: '--v=2' })
  await machine.untilDigest(good, 'Applied')
  await machine.clock.advance(20 * MINUTE)
  machine.assign({ flags: '--v=3' })
  await machine.untilDigest(tried, 'Applied')
  await machine.clock.advance(9 * MINUTE)

  expect(memory(machine, 'last-known-good')).toBe(good)
})
