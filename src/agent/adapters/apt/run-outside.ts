import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'

/** One at a time, also of two agents that follow each other. */
const UNIT = 'nodewave-packages.service'
/** Milliseconds. */
const POLL = 500

/**
 * Runs a program as a unit of its own: scripts of packages have none of the agent's bounds, and an agent that dies does not leave a package
 * half unpacked. What an earlier agent has started ends first.
 */
export function runOutside(run: typeof runProgram): typeof runProgram {
  return async (program, args, { timeout = 30_000, env = {} }: RunOptions = {}): Promise<Outcome> => {
    await untilIdle(run, timeout)
    const settings = Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`)
    const unit = [
      '--quiet',
      '--wait',
      '--pipe',
      '--collect',
      `--unit=${UNIT}`,
      '--service-type=exec',
      // A daemon that an old init script started is not ended with it.
      '--property=KillMode=process',
      `--property=RuntimeMaxSec=${Math.ceil(timeout / 1000)}`,
    ]
    return run('systemd-run', [...unit, ...settings, '--', program, ...args], { timeout: timeout + 10_000 })
  }
}

/** Waits until no package manager runs that an agent has started. */
export async function untilIdle(run: typeof runProgram, within: number): Promise<void> {
  const until = performance.now() + within
  for (;;) {
    const { stdout } = await run('systemctl', ['show', '--property=ActiveState', '--value', UNIT])
    if (['inactive', 'failed', ''].includes(stdout.trim())) return
    if (performance.now() > until) throw new Error(`wait for "${UNIT}" of an earlier agent: it is ${stdout.trim()} still`)
    await sleep(POLL)
  }
}
