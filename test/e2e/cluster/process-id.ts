/** Processes by id, safe against an id that the machine has since given to another process. */
import { readFileSync } from 'node:fs'

export interface ProcessId {
  readonly pid: number
  /** In clock ticks since boot; with the pid it names one process for as long as the machine runs. */
  readonly startTime: string
}

/** From the line in `/proc/<pid>/stat`; the program's name in it may hold spaces and brackets. */
export function parseStat(line: string): (ProcessId & { readonly state: string }) | undefined {
  const end = line.lastIndexOf(')')
  const fields = line.slice(end + 2).split(' ')
  const [state] = fields
  const startTime = fields[19]
  const pid = Number.parseInt(line, 10)
  if (end < 0 || !state || !startTime || !(pid > 0)) return undefined
  return { pid, startTime, state }
}

export function processId(pid: number): ProcessId | undefined {
  const { startTime } = readStat(pid) ?? {}
  return startTime === undefined ? undefined : { pid, startTime }
}

/** A zombie has ended: its entry may stay until the machine's first process reaps it. */
export function isRunning({ pid, startTime }: ProcessId): boolean {
  const stat = readStat(pid)
  return stat !== undefined && stat.startTime === startTime && stat.state !== 'Z' && stat.state !== 'X'
}

export function killProcess(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isRunning(id)) return
  try {
    process.kill(id.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function readStat(pid: number) {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}
