import { randomUUID } from 'node:crypto'
import type { Outcome, runProgram } from './run-program.ts'

export interface ProgramUnit {
  /** No other one has it: a program's output can't contain it by chance. */
  readonly name: string
  readonly properties?: readonly string[]
  /** Milliseconds, after which systemd ends the program. */
  readonly timeout: number
  readonly env?: Readonly<Record<string, string>>
}

/** How systemd says that a unit ended, see `$SERVICE_RESULT` in systemd.exec(5). */
interface UnitEnd {
  readonly result: string
  /** `exited`, `killed` or `dumped`. */
  readonly how: string
  /** An exit code, or the name of a signal. */
  readonly status: string
  /** The output without it. */
  readonly output: string
}

/** Milliseconds that systemd has to end a program that is late. */
const GRACE = 10_000
/** The name of the unit, then a line for each variable. */
const RECORD = /^\S+\n([a-z-]+)\n(exited|killed|dumped)\n(\S+)\n/
/** As systemd-run has them. */
const CODES = { failure: 1, signal: 255 }

/**
 * Runs a program as a unit of its own, and waits for its end. The exit code of `systemd-run --wait` is 0 when the message bus restarts or
 * systemd executes itself again meanwhile, while the program still runs. So systemd has the unit write how it ended, as the last of its
 * output: it keeps the pipes through both. It forgets the unit then, also where nobody reads.
 */
export async function runInUnit(run: typeof runProgram, argv: readonly string[], unit: ProgramUnit): Promise<Outcome> {
  const { name, properties = [], timeout, env = {} } = unit
  // Neither "$" nor ";": systemd 252 reads both otherwise than it wrote them when it executes itself again.
  const record = `/bin/sh -c 'echo ${name} && exec printenv SERVICE_RESULT EXIT_CODE EXIT_STATUS'`
  const bounds = [...properties, `RuntimeMaxSec=${Math.ceil(timeout / 1000)}`, `ExecStopPost=${record}`]
  const settings = [
    ...['--quiet', '--wait', '--pipe', '--collect', `--unit=${name}`, '--service-type=exec'],
    ...bounds.map((property) => `--property=${property}`),
    ...Object.entries(env).map(([key, value]) => `--setenv=${key}=${value}`),
  ]
  const until = (stdout: string): boolean => endIn(stdout, name) !== undefined
  const outcome = await run('systemd-run', [...settings, '--', ...argv], { timeout: timeout + GRACE, until })
  const end = endIn(outcome.stdout, name)
  return end === undefined ? withoutEnd(outcome, name) : outcomeOf(end, { ...outcome, stdout: end.output }, name)
}

export function nameOfOne(kind: string): string {
  return `${kind}-${randomUUID().slice(0, 8)}.service`
}

/** Pure. @param stdout of the unit; at least its end */
function endIn(stdout: string, name: string): UnitEnd | undefined {
  const begin = stdout.lastIndexOf(`${name}\n`)
  if (begin < 0) return undefined
  const [record, result = '', how = '', status = ''] = RECORD.exec(stdout.slice(begin)) ?? []
  if (record === undefined) return undefined
  return { result, how, status, output: `${stdout.slice(0, begin)}${stdout.slice(begin + record.length)}` }
}

function withoutEnd(outcome: Outcome, name: string): Outcome {
  if (outcome.code !== 0) return outcome
  return { ...outcome, code: CODES.failure, stderr: `${outcome.stderr}${name}: systemd did not report how it ended\n` }
}

function outcomeOf({ result, how, status }: UnitEnd, outcome: Outcome, name: string): Outcome {
  const ended = (code: number, why: string): Outcome => ({
    ...outcome,
    ...{ code, stderr: `${outcome.stderr}${name}: ${why}\n`, timedOut: false },
  })
  if (result === 'timeout') return { ...outcome, code: CODES.failure, timedOut: true }
  if (how !== 'exited')
    return result === 'success' ? ended(-1, 'it was stopped') : ended(CODES.signal, `signal ${status} ended it`)
  if (result === 'success' || result === 'exit-code') return { ...outcome, code: Number(status), timedOut: false }
  return ended(CODES.failure, `systemd reports "${result}"`)
}
