import { readFile } from '../../kube/file-calls.ts'
import type { Processes, ProcessIdentity } from '../state/lock.ts'
import { orMissing } from './or-missing.ts'

/** The processes of this machine, by /proc. */
export const procProcesses: Processes = {
  own: () => identify(process.pid),
  isRunning: async (identity) => {
    const found = await identify(identity.pid)
    return found.started !== '' && found.started === identity.started && found.boot === identity.boot
  },
}

/** `started` is empty when there is no such process. */
async function identify(pid: number): Promise<ProcessIdentity> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  const stat = await orMissing(readFile(`/proc/${pid}/stat`, 'utf8'))
  return { pid, boot: boot.trim(), started: stat === undefined ? '' : startedIn(stat) }
}

/**
 * When a process was started, in clock ticks since the boot; empty for one that has ended and waits for its parent.
 * @param stat of /proc/PID/stat; the name in parentheses may hold anything, also spaces and parentheses
 */
export function startedIn(stat: string): string {
  const [state, ...rest] = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ')
  return state === 'Z' || state === 'X' ? '' : (rest[18] ?? '')
}
