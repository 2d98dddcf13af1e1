import { existsSync } from 'node:fs'
import { type Log, ServiceCallKilled } from '../ports.ts'
import type { StepRunner } from '../step-runner.ts'
import { runOutside } from './packages/run-outside.ts'
import { SYSTEMD } from './run-as-service.ts'
import { runToItsEnd } from './run-to-its-end.ts'

export interface StepProgramsOptions {
  readonly run?: typeof runToItsEnd
  readonly hasSystemd?: boolean
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number
}

/** The command and all that it started end with the agent's patience, not with the agent. */
const UNIT = { name: 'nodewave-step', properties: ['KillMode=control-group'] }

/** Each command runs as a unit of its own, without the bounds of the agent's; an agent that dies does not end it half way. */
export function stepPrograms({
  run = runToItsEnd,
  hasSystemd = existsSync(SYSTEMD),
  elapsed = () => performance.now(),
}: StepProgramsOptions = {}): StepRunner {
  const start = hasSystemd ? runOutside(run, UNIT) : run
  return {
    run: async ([program = '', ...args], { timeoutSeconds }) => {
      const timeout = timeoutSeconds * 1000
      const begun = elapsed()
      const { code, stdout, stderr, timedOut } = await start(program, args, { timeout })
      // systemd ends the command itself, and says so by an exit code only.
      const tookLonger = timedOut || (code !== 0 && elapsed() - begun >= timeout)
      // By itself, it was the command that a signal ended.
      if (code === -1 && !tookLonger && hasSystemd)
        throw new ServiceCallKilled(`"${program}" was to be waited for, and that was ended`)
      return { code, timedOut: tookLonger, output: `${stdout}${stderr}` }
    },
  }
}

/** Below a `--root` nothing is run. */
export function rootedSteps(log: Log): StepRunner {
  return {
    run: async (argv) => {
      log.info(`below --root, not run: ${argv.join(' ')}`)
      return { code: 0, timedOut: false, output: '' }
    },
  }
}
