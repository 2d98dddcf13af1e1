import { existsSync } from 'node:fs'
import { nameOfOne, runInUnit } from './run-in-unit.ts'
import { type Outcome, runProgram } from './run-program.ts'

export interface RunAsServiceOptions {
  /** Milliseconds, after which it is killed. */
  readonly timeout?: number
  readonly run?: typeof runProgram
  readonly hasSystemd?: boolean
}

/** There as long as systemd is the first process. */
export const SYSTEMD = '/run/systemd/system'

/**
 * Runs a program without a shell as a service of its own, and waits for its end. The unit of the agent forbids what loads modules, swaps or
 * installs packages; a service that systemd starts for it has none of these bounds. Without systemd there is no such unit.
 */
export async function runAsService(
  program: string,
  args: readonly string[],
  { timeout = 120_000, run = runProgram, hasSystemd = existsSync(SYSTEMD) }: RunAsServiceOptions = {},
): Promise<Outcome> {
  if (!hasSystemd) return run(program, args, { timeout })
  return runInUnit(run, [program, ...args], { name: nameOfOne('nodewave-run'), timeout, env: { LANG: 'C.UTF-8' } })
}
