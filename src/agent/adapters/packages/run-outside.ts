import { setTimeout as sleep } from 'node:timers/promises'
import { nameOfOne, runInUnit } from '../run-in-unit.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'

export interface OutsideUnit {
  /** Beginning of its name. One runs at a time, also of two agents that follow each other. */
  readonly name: string
  /** Besides those that bound its time. */
  readonly properties: readonly string[]
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** A daemon that an old init script started is not ended with it. */
export const PACKAGES_UNIT: OutsideUnit = { name: 'nodewave-packages', properties: ['KillMode=process'] }

/** Milliseconds. */
const POLL = 500

const ENDED: ReadonlySet<string> = new Set(['inactive', 'failed', ''])

/**
 * Runs a program as a unit of its own: scripts of packages have none of the agent's bounds, and an agent that dies does not leave a package
 * half unpacked. What an earlier agent has started ends first. No name is used twice: systemd keeps a unit that has ended for as long as a
 * daemon that it left runs, and starts no other one of that name.
 */
export function runOutside(
  run: typeof runProgram,
  { name, properties, pause = sleep }: OutsideUnit = PACKAGES_UNIT,
): typeof runProgram {
  return async (program, args, { timeout = 30_000, env = {} }: RunOptions = {}): Promise<Outcome> => {
    await untilIdle(run, { name, within: timeout, pause })
    return runInUnit(run, [program, ...args], { name: nameOfOne(name), properties, timeout, env })
  }
}

/** Milliseconds that a program has to end by itself when its time is over. */
const GRACE = 30_000

/**
 * Ends a program when its time is over, with all that it started, but for daemons, which have a session of their own: a script of a package
 * that hangs, and the dpkg above it, would keep the lock for ever.
 */
export function endedInTime(run: typeof runProgram, elapsed: () => number = () => performance.now()): typeof runProgram {
  return async (program, args, { timeout = 30_000, ...options }: RunOptions = {}): Promise<Outcome> => {
    const begun = elapsed()
    const words = [`--kill-after=${GRACE / 1000}`, String(Math.ceil(timeout / 1000)), program, ...args]
    const outcome = await run('timeout', words, { ...options, timeout: timeout + 2 * GRACE })
    return outcome.code !== 0 && elapsed() - begun >= timeout ? { ...outcome, timedOut: true } : outcome
  }
}

/** Waits until none runs that an agent has started. */
async function untilIdle(
  run: typeof runProgram,
  { name, within, pause }: Pick<Required<OutsideUnit>, 'name' | 'pause'> & { readonly within: number },
): Promise<void> {
  const until = performance.now() + within
  for (;;) {
    const { code, stdout, stderr } = await run('systemctl', ['show', '--property=ActiveState', '--value', `${name}*.service`])
    const atWork = stdout.split(/\s+/).filter((state) => !ENDED.has(state))
    // It does not answer while systemd executes itself again.
    if (code === 0 && atWork.length === 0) return
    const state = code === 0 ? `it is ${atWork[0]} still` : `systemctl show: exit ${code}: ${stderr.trim()}`
    if (performance.now() > until) throw new Error(`wait for "${name}" of an earlier agent: ${state}`)
    await pause(POLL)
  }
}
