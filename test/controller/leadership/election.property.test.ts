import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fate, type Temper, Voters } from './voters.ts'

/** Milliseconds between two moments at which whoever is awake acts. */
const STEP = 500
const AT_ONCE: Fate = { there: 0, back: 0, lost: 'nothing' }

/** Clocks that differ in speed by less than the renew deadline does from the lease duration. */
const temper = fc.record({ rate: fc.double({ min: 1, max: 1.4, noNaN: true }), offset: fc.integer({ min: -1e9, max: 1e9 }) })
const delay = fc.oneof(fc.constant(0), fc.constantFrom(4500, 4900), fc.integer({ min: 1, max: 30_000 }))
const fate: fc.Arbitrary<Fate> = fc.record({
  there: delay,
  back: delay,
  lost: fc.constantFrom<Fate['lost'][]>('nothing', 'nothing', 'request', 'answer'),
})
/** What one of them does for a while, and how its requests fare, in turn. */
const conduct = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'works', fates: [AT_ONCE] } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'is paused' } as const) },
  { weight: 3, arbitrary: fc.array(fate, { minLength: 1, maxLength: 4 }).map((fates) => ({ kind: 'works', fates }) as const) },
  { weight: 1, arbitrary: fate.map((becomes) => ({ kind: 'leaves', fate: becomes }) as const) },
)
const stretch = fc.record({ steps: fc.integer({ min: 1, max: 35 }), conducts: fc.tuple(conduct, conduct, conduct) })
type Stretch = typeof stretch extends fc.Arbitrary<infer T> ? T : never

const story = fc.record({
  tempers: fc.array(temper, { minLength: 2, maxLength: 3 }),
  stretches: fc.array(stretch, { minLength: 3, maxLength: 12, size: 'max' }),
})

function play(voters: Voters, { steps, conducts }: Stretch, check: () => void): void {
  for (let step = 0; step < steps; step += 1) {
    voters.pass(STEP)
    for (const [index, does] of conducts.entries()) {
      if (does.kind === 'works') voters.act(index, does.fates[step % does.fates.length] ?? AT_ONCE)
      if (does.kind === 'leaves' && step === 0) voters.leave(index, does.fate)
      check()
    }
  }
}

function played(tempers: readonly Temper[], stretches: readonly Stretch[], check: (voters: Voters) => void): Voters {
  const voters = new Voters(tempers)
  for (const one of stretches) play(voters, one, () => check(voters))
  return voters
}

test('two holders never both believe they lead, whatever clock skew, pauses, lost and late answers', () => {
  const atMostOne = (voters: Voters): void => {
    if (voters.leaders > 1) throw new Error(`${voters.leaders} lead`)
  }
  fc.assert(
    fc.property(story, ({ tempers, stretches }) => void played(tempers, stretches, atMostOne)),
    { numRuns: 6000 },
  )
})

test('somebody leads within a lease duration after all faults end', () => {
  const works = { kind: 'works', fates: [AT_ONCE] } as const
  fc.assert(
    fc.property(story, ({ tempers, stretches }) => {
      const voters = played(tempers, stretches, () => undefined)
      // What was sent before arrives meanwhile.
      voters.pass(30_000)
      // Each may have to give up on a request first, and to look.
      play(voters, { steps: (5000 + 15_000 + 2000) / STEP, conducts: [works, works, works] }, () => undefined)
      expect(voters.leaders).toBe(1)
    }),
    { numRuns: 500 },
  )
})
