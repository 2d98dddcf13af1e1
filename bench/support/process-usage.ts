import { readFile } from 'node:fs/promises'

/** Ticks a second in /proc: 100 on every architecture that Linux has today. */
const TICK = 10

export interface ProcessUsage {
  /** User and system time since the start, in milliseconds; in steps of 10. */
  readonly cpu: number
  /** Resident memory in MB, of it anonymous (not backed by a file), and the highest it has been. */
  readonly resident: number
  readonly anonymous: number
  readonly peak: number
}

/** What the kernel has counted of a process. Linux only. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const [stat, status] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/status`, 'utf8')])
  // The name, in parentheses, may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const megabytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) * TICK,
    resident: megabytes('VmRSS'),
    anonymous: megabytes('RssAnon'),
    peak: megabytes('VmHWM'),
  }
}
