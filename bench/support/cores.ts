import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Keeps this process, and what it starts, on the second half of the cores.
 * @returns the first half, as `taskset --cpu-list` reads it
 */
export function leaveHalfOfCores(): string {
  const cores = availableParallelism()
  if (cores < 2) throw new Error('find 1 core: the control plane needs one of its own; measure all on it with --shared-cores')
  const half = Math.floor(cores / 2)
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', `${half}-${cores - 1}`, String(process.pid)])
  return `0-${half - 1}`
}
