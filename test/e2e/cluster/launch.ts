/** Start programs that outlive us when they must, and that a later run can find when they should not have. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { type ProcessId, processId } from './process-id.ts'
import { processFile } from './record.ts'
import { assertOpen, type Slot } from './slot.ts'

/**
 * Writes its own process id down and moves itself into the cgroups, and only then becomes the program. Node.js can do neither
 * between fork and exec. The text is constant; everything variable comes as an argument.
 */
const launcher = `
read -r stat < /proc/$$/stat; printf '%s\\n' "$stat" >> "$1"; shift
while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift
exec "$@"`

/** Runs a node again for as long as it ends because it was rebooted from inside (133), with its cgroups emptied in between. */
const supervisor = `
launcher=$1; shift
while :; do
  /bin/sh -c "$launcher" launch "$@"
  [ $? = 133 ] || exit 0
  for path in "$@"; do
    [ "$path" = -- ] && break
    [ -d "$path" ] && find "$path" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
  done
done`

export interface LaunchOptions {
  readonly log: string
  readonly cgroups?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function launch(slot: Slot, command: readonly string[], options: LaunchOptions): ProcessId {
  assertOpen(slot)
  const log = openSync(options.log, 'a')
  try {
    const args = ['-c', launcher, 'launch', processFile(slot), ...(options.cgroups ?? []), '--', ...command]
    const child = spawn('/bin/sh', args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH ?? '', ...options.env },
    })
    child.unref()
    child.on('error', () => undefined) // seen as a program that is not running
    const id = child.pid === undefined ? undefined : processId(child.pid)
    if (id === undefined) throw new Error(`launch "${command[0]}": it did not start`)
    return id
  } finally {
    closeSync(log)
  }
}

/** Like `launch`, for a node: the supervisor stays outside its cgroups and boots it again when it asks for that. */
export function launchSupervised(slot: Slot, command: readonly string[], { cgroups = [], ...options }: LaunchOptions): ProcessId {
  const loop = ['/bin/sh', '-c', supervisor, 'supervise', launcher, processFile(slot), ...cgroups, '--', ...command]
  return launch(slot, loop, options)
}
