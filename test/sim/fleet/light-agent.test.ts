import { expect, test } from 'vitest'
import type { Ending } from '../../../src/agent/transaction/journal.ts'
import type { AgentStatus } from '../../../src/protocol/agent-status.ts'
import { parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import { LightAgent } from '../../../src/sim/fleet/light-agent.ts'
import { Machine } from '../../agent/support/machine.ts'

const names = namesFor()
const WHEN = '2026-11-21T22:00:00.000Z'
const MISSING = '--container-runtime-endpoint=unix:///not/there.sock'
const CRASHED = {
  reason: 'HealthCheckFailed',
  message:
    'failed to validate config: kubelet exited 3 times: failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "unix:///not/there.sock"',
}
const NOT_PUT_BACK = {
  ...CRASHED,
  message: `${CRASHED.message}; undoing it failed too: failed to sync: internal failure: EIO: i/o error`,
}
const REFUSED = {
  reason: 'PreflightFailed',
  message: 'failed to validate config: preflight: failed to parse kubelet flag: unknown flag: --no-such-flag',
}
const RESTARTED = { kind: 'kept', startedAt: 0 } as const

/** A real agent on a simulated host, and a light one that is told what becomes of that host. */
class Pair {
  readonly machine = new Machine()
  #light = new LightAgent(names)
  readonly phases: string[] = []

  constructor() {
    this.machine.start()
  }

  /** @param stamp seconds */
  assign(flags: string, stamp: number): string {
    return this.machine.assign({ flags }, { REVISION: 'c0ffee', ASSIGNED: `2026-11-21T22:00:${stamp}Z` })
  }

  /** The real agent has begun to work. */
  async taken(): Promise<void> {
    const text = this.machine.node.annotations[names.desiredConfig]
    const stamp = text === undefined ? undefined : parseDesiredConfig(text).ASSIGNED
    await this.#until(({ phase, assignedAt }) => phase === 'Applying' && assignedAt === stamp)
    this.take()
    this.#compare()
  }

  take(): void {
    const text = this.machine.node.annotations[names.desiredConfig]
    this.#light = this.#light.take(text === undefined ? undefined : { text, desired: parseDesiredConfig(text) }, WHEN)
  }

  async ended(ending: Ending): Promise<void> {
    await this.#until(({ phase }) => phase !== 'Applying')
    this.#light = this.#light.end(ending, WHEN)
    this.#compare()
  }

  async heldTrial(digest: string): Promise<void> {
    await this.#until(({ lastKnownGood }) => lastKnownGood === digest)
    this.#light = this.#light.holdTrial(WHEN)
    this.#compare()
  }

  async #until(wanted: (status: AgentStatus) => boolean): Promise<void> {
    const { machine } = this
    await machine.clock
      .runUntil(() => machine.status !== undefined && wanted(machine.status))
      .catch((cause: unknown) => {
        throw new Error(`${JSON.stringify(machine.status)}\n${machine.logged.join('\n')}`, { cause })
      })
  }

  /** Literally, but for times. */
  #compare(): void {
    const { annotations } = this.machine.node
    const shown = { [names.status]: annotations[names.status], [names.currentConfig]: annotations[names.currentConfig] ?? null }
    expect(withoutTimes(this.#light.report('v1.35.4', 'u1'))).toEqual(withoutTimes(shown))
    this.phases.push(this.machine.status?.phase ?? '')
  }
}

function withoutTimes(report: Readonly<Record<string, string | null | undefined>>) {
  const status = report[names.status]?.replaceAll(/"(since|kubeletStartedAt)":"[^"]*"/g, '"$1":"…"')
  return { ...report, [names.status]: status }
}

test('light agent reports what the real one does when an assignment is applied, holds its trial, and is assigned again', async () => {
  const pair = new Pair()
  const digest = pair.assign('--v=3', 10)
  await pair.taken()
  await pair.ended(RESTARTED)
  await pair.heldTrial(digest)
  pair.assign('--v=3', 11)
  pair.take()
  await pair.machine.clock.runUntil(() => pair.machine.status?.assignedAt === '2026-11-21T22:00:11Z')
  await pair.ended({ kind: 'kept' })

  expect(pair.phases).toEqual(['Applying', 'Applied', 'Applied', 'Applied'])
})

test('light agent reports what the real one does when an assignment is rolled back, and another is superseded', async () => {
  const pair = new Pair()
  const good = pair.assign('--v=3', 10)
  await pair.taken()
  await pair.ended(RESTARTED)
  await pair.heldTrial(good)
  pair.assign(MISSING, 11)
  await pair.taken()
  await pair.ended({ kind: 'undone', failure: CRASHED })
  pair.assign('--v=4', 12)
  await pair.taken()
  const newer = pair.assign('--v=5', 13)
  await pair.taken()
  await pair.ended(RESTARTED)
  await pair.heldTrial(newer)

  expect(pair.phases).toEqual([
    ...['Applying', 'Applied', 'Applied'],
    ...['Applying', 'RolledBack'],
    ...['Applying', 'Applying', 'Applied', 'Applied'],
  ])
})

test('light agent reports what the real one does when an undo fails, and when the assignment is removed at last', async () => {
  const pair = new Pair()
  pair.assign('--v=3', 10)
  await pair.taken()
  await pair.ended(RESTARTED)
  const { files } = pair.machine.host
  const { restore } = files
  files.restore = () => Promise.reject(new Error('EIO: i/o error'))
  pair.assign(MISSING, 11)
  await pair.taken()
  await pair.ended({ kind: 'broken', failure: NOT_PUT_BACK })
  files.restore = restore
  pair.assign('--no-such-flag', 12)
  await pair.taken()
  await pair.ended({ kind: 'undone', failure: REFUSED })
  pair.assign('--v=4', 13)
  await pair.taken()
  await pair.ended(RESTARTED)
  pair.machine.annotate(null)
  await pair.taken()
  await pair.ended(RESTARTED)

  expect(pair.phases).toEqual([
    ...['Applying', 'Applied'],
    ...['Applying', 'Failed'],
    ...['Applying', 'Failed'],
    ...['Applying', 'Applied'],
    ...['Applying', 'Reverted'],
  ])
})
