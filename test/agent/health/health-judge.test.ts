import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeHealth, type Look, observeLook, restarted, watchFrom } from '../../../src/agent/health/health-judge.ts'

const LIMITS = { stable: 3000, healthy: 30_000 }
const look = (at: number, change: Partial<Look['service']> & { ok?: boolean } = {}): Look => {
  const { ok = true, ...service } = change
  const running = {
    exists: true,
    isGone: false,
    active: 'active' as const,
    enabled: true,
    isStatic: false,
    mainPid: 7,
    restarts: 0,
    runningFor: 0,
    lastExit: 0,
  }
  const health = { ok, detail: 'connection refused' }
  return { at, now: at, service: { ...running, ...service }, health, runtime: { ok: true, detail: '' }, units: [] }
}
const crashed = (at: number): Look => look(at, { active: 'activating', mainPid: 0, lastExit: 1, ok: false })

function judgeAll(looks: readonly Look[], options: Parameters<typeof watchFrom>[1] = {}) {
  let watched = watchFrom(looks[0]?.at ?? 0, options)
  return looks.map((one) => {
    watched = observeLook(watched, one)
    const judgement = judgeHealth(watched, one, LIMITS)
    if (judgement.kind === 'start') watched = restarted(watched)
    return judgement.kind === 'failed' ? judgement.message : judgement.kind
  })
}

test('kubelet is believed when the same process has answered for long enough', () => {
  expect(judgeAll([look(0), look(2999), look(3000)])).toEqual(['wait', 'wait', 'healthy'])
})

test('kubelet is not believed while it does not answer', () => {
  expect(judgeAll([look(0, { ok: false }), look(5000, { ok: false }), look(6000)])).toEqual(['wait', 'wait', 'healthy'])
})

test('kubelet that is replaced by another process has to prove itself again', () => {
  expect(judgeAll([look(0), look(2000, { mainPid: 8 }), look(4000, { mainPid: 8 }), look(5000, { mainPid: 8 })])).toEqual([
    'wait',
    'wait',
    'wait',
    'healthy',
  ])
})

test('kubelet of a host that nothing was done to is believed for how long it has run', () => {
  const anHour = look(0, { runningFor: 3_600_000 })
  const aSecond = [look(0, { runningFor: 1000 }), look(1999, { runningFor: 2999 }), look(2000, { runningFor: 3000 })]
  const undisturbed = true

  expect(judgeAll([anHour], { undisturbed })).toEqual(['healthy'])
  expect(judgeAll([{ ...anHour, health: { ok: false, detail: 'refused' } }], { undisturbed })).toEqual(['wait'])
  expect(judgeAll(aSecond, { undisturbed })).toEqual(['wait', 'wait', 'healthy'])
})

test('kubelet that a change left running is watched from the change on, however long it ran before', () => {
  const looks = [look(0, { runningFor: 3_600_000 }), look(2999, { runningFor: 3_602_999 }), look(3000, { runningFor: 3_603_000 })]

  expect(judgeAll(looks)).toEqual(['wait', 'wait', 'healthy'])
})

test('kubelet that a change restarted is watched from its own start on, not from when somebody looked', () => {
  const looks = [look(0, { mainPid: 0, active: 'activating' }), look(1000, { runningFor: 600 }), look(3400, { runningFor: 3000 })]

  expect(judgeAll(looks)).toEqual(['wait', 'wait', 'healthy'])
})

test('kubelet that exits gets two more chances, a second and four seconds after, and no third', () => {
  const looks = [crashed(200), crashed(900), crashed(1200), crashed(1500), crashed(5000), crashed(5500), crashed(5700)]

  expect(judgeAll(looks)).toEqual(['wait', 'wait', 'start', 'wait', 'wait', 'start', 'kubelet exited 3 times'])
})

test('kubelet that dies between two looks is seen to have exited', () => {
  const looks = [look(0), look(1000, { mainPid: 8 }), look(2000, { mainPid: 9 }), look(3000, { mainPid: 10 })]

  expect(judgeAll(looks).at(-1)).toBe('kubelet exited 3 times')
})

test('kubelet that never answers is given up in time, with what its endpoint said', () => {
  expect(judgeAll([look(0, { ok: false }), look(30_000, { ok: false })])).toEqual([
    'wait',
    'kubelet was not healthy after 30 s: connection refused',
  ])
})

test('kubelet whose service is not there is given up in time', () => {
  const gone = { active: 'inactive', mainPid: 0, ok: false } as const

  expect(judgeAll([look(0, gone), look(30_000, gone)])).toEqual([
    'wait',
    'kubelet was not healthy after 30 s: its service is inactive',
  ])
})

test('verdict comes before the limit is long past, and is never healthy for one that does not answer', () => {
  const anyLook = fc.record({ ok: fc.boolean(), pid: fc.integer({ min: 0, max: 3 }), pause: fc.integer({ min: 1, max: 2000 }) })
  fc.assert(
    fc.property(fc.array(anyLook, { minLength: 40, maxLength: 80 }), (sequence) => {
      let at = 0
      const looks = sequence.map(({ ok, pid, pause }) => {
        at += pause
        return pid === 0 ? crashed(at) : look(at, { mainPid: pid, ok })
      })
      const verdicts = judgeAll(looks)
      verdicts.forEach((verdict, index) => {
        if (verdict === 'healthy') expect(looks[index]?.health.ok).toBe(true)
        if ((looks[index]?.at ?? 0) >= 30_000) expect(['wait', 'start']).not.toContain(verdict)
      })
    }),
  )
})
