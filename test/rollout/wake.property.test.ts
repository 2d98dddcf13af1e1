import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ASSIGNMENT_REPLAYED } from '../../src/protocol/agent-status.ts'
import { decide } from '../../src/rollout/decide.ts'
import type { Decision } from '../../src/rollout/model/decision.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { hour, minute, noon, stamp } from './builders/instants.ts'
import { aNode, type NodeDraft } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'
import { aRollout } from './builders/revisions.ts'

type Pick = <T>(...choices: readonly [T, ...T[]]) => T

/** What nodes may be like, whether or not a rollout would ever leave them so. */
class Drawing {
  readonly pick: Pick

  constructor(pick: Pick) {
    this.pick = pick
  }

  ago(): Instant {
    return noon - this.pick(0, 20_000, 90_000, 5 * minute, 12 * minute, 40 * minute, 3 * hour, 26 * hour)
  }

  /** By clocks of machines, some of which are ahead. */
  stamped(): Instant {
    return this.pick(true, true, true, false) ? this.ago() : noon + this.pick(20_000, 7 * minute, 40 * minute, 26 * hour)
  }

  /** By clocks of controllers, one of which was a little ahead. */
  led(): Instant {
    return this.pick(true, true, true, false) ? this.ago() : noon + this.pick(20_000, 7 * minute)
  }

  sometimes(node: NodeDraft, change: (node: NodeDraft) => NodeDraft): NodeDraft {
    return this.pick(true, false, false, false) ? change(node) : node
  }

  node(name: string): NodeDraft {
    const steps = [
      (node: NodeDraft) => node.notReady(this.stamped()),
      (node: NodeDraft) => node.readyAgain(this.stamped()),
      (node: NodeDraft) => node.toReboot('b1', { at: stamp(this.stamped()) }),
      (node: NodeDraft) => node.under('DiskPressure', this.stamped()),
      (node: NodeDraft) =>
        node.drainedFor(this.pick('new', 'old'), {
          at: this.stamped(),
          state: this.pick('Ours', 'Found', 'Skipped', 'Released'),
        }),
    ]
    const start = this.assigned(aNode(name).inZone(this.pick('z1', 'z2')).withUid(name).booted('b1'))
    return steps.reduce((node, step) => this.sometimes(node, step), start)
  }

  assigned(node: NodeDraft): NodeDraft {
    const [at, digest] = [this.stamped(), this.pick('new', 'old', 'older')]
    const order = { boot: this.pick('b0', 'b1') }
    const given = this.pick(true, false, false) ? node.orderedToReboot(digest, order, { at }) : node.assignedTo(digest, { at })
    const was = this.pick(undefined, undefined, 'Unsound', 'Silent', 'Disturbed', 'Down')
    return this.reported(was === undefined ? given : given.assignedWhile(was), at + 5000)
  }

  reported(node: NodeDraft, since: Instant): NodeDraft {
    const phase = this.pick('none', 'Applied', 'Applied', 'Applying', 'Blocked', 'RolledBack', 'Failed')
    if (phase === 'none') return node
    const error = { reason: this.pick('HealthCheckFailed', ASSIGNMENT_REPLAYED), message: 'it failed' }
    const failed = phase === 'RolledBack' || phase === 'Failed' ? { active: 'old', error } : {}
    const asks = phase === 'Blocked' ? { needs: this.pick<'drain' | 'reboot'>('drain', 'reboot') } : {}
    const told = node.reporting(phase, { since, ...failed, ...asks })
    return this.sometimes(told, () => told.noting(this.pick('Wanted', 'Passed', 'Failed'), { endedAt: since }))
  }

  pool(): PoolSnapshot {
    const { pick } = this
    const run = aRollout('new', { startedAt: this.led(), ...(pick(true, false) && { result: 'Completed' }) })
    const top = pick(true, true, false) ? run : { ...run, retriedAt: stamp(this.led()) }
    const opened = ['canary']
    const api = { name: 'api', version: '1.36.3' }
    const pool = aPool({
      stable: 'old',
      history: [top, aRollout('old', { result: 'Completed', startedAt: noon - 50 * hour })],
      waves: pick([], [aWave('canary', 1, { soak: 10 * minute })]),
      ...(pick(true, false) && { wave: { index: 1, count: 2, name: 'canary', opened } }),
      maxUnavailable: pick(1, 2),
      maxFailures: pick(0, 1),
      onFailure: pick('Rollback', 'Halt'),
      drain: { mode: pick('Auto', 'Never'), timeout: 2 * minute, onTimeout: pick('Wait', 'Skip', 'Proceed') },
      zones: pick('Any', 'OneAtATime'),
      cordoned: pick('Skip', 'Change'),
      ...(pick(true, false) && { agentTimeout: 3 * minute }),
      reboot: { whenRequired: pick('Never', 'InWindows'), timeout: 5 * minute },
      disruption: pick('restart', 'drain'),
      ...(pick(true, false, false) && { wants: { n0: { digest: 'newer', version: '1.40.0' } } }),
      fleet: { skew: { kind: 'known', oldest: api, newest: api } },
      ...(pick(true, false, false) && { controls: { paused: '' } }),
      proofs: [],
    }).with(...['n0', 'n1', 'n2'].slice(0, pick(1, 2, 3)).map((name) => this.node(name)))
    const isSteady = pick(true, true, false)
    const isWatched = pick(true, true, false)
    const isListed = pick(true, true, false)
    return {
      ...pool,
      ...(!isSteady && { steadySince: this.ago() }),
      ...(!isWatched && { watchedSince: this.ago() }),
      ...(!isListed && { listedAt: this.ago() }),
    }
  }
}

/** Once the status has come back so often, it is the same again. */
function atRest(pool: PoolSnapshot): { readonly pool: PoolSnapshot; readonly decision: Decision } {
  let [rested, decision] = [pool, decide(pool, noon)]
  for (let pass = 0; pass < 4; pass++) {
    rested = { ...rested, memory: decision.status }
    decision = decide(rested, noon)
  }
  return { pool: rested, decision }
}

function told({ actions, status }: Decision): unknown {
  return [
    actions,
    status.nodes,
    status.failed,
    status.reboots,
    status.conditions.map(({ type, status, reason }) => [type, status, reason]),
  ]
}

test('nothing changes by time alone before the wake that a decision asks for, however nodes are', () => {
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const drawing = new Drawing((...choices) => draw(fc.constantFrom, ...choices))
      const { pool, decision } = atRest(drawing.pool())
      if (decision.actions.length > 0) return
      const last = Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, noon + 30 * hour) - 1
      for (const at of [noon + 1000, last]) if (at <= last) expect(told(decide(pool, at))).toEqual(told(decision))
    }),
    { numRuns: 2000 },
  )
})

test('while the API server is away, time alone changes no status: it would be written in each pass', () => {
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const drawing = new Drawing((...choices) => draw(fc.constantFrom, ...choices))
      const { pool, decision } = atRest({ ...drawing.pool(), steadySince: noon })
      if (decision.actions.length > 0) return
      const { status } = decide({ ...pool, steadySince: noon + 1000 }, noon + 1000)
      expect(status).toEqual(decision.status)
    }),
    { numRuns: 2000 },
  )
})
