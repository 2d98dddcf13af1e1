/** Pure: pids of processes that hold a POSIX lock on one of these inodes, as /proc/locks has it. */
export function lockHolders(locks: string, inodes: readonly number[]): number[] {
  return locks.split('\n').flatMap((line) => {
    const [, type, , , pid, file = ''] = line.trim().split(/\s+/)
    const isTheirs = type === 'POSIX' && inodes.includes(Number(file.split(':')[2]))
    return isTheirs && Number(pid) > 0 ? [Number(pid)] : []
  })
}
