import type { Supervisor } from '../ports.ts'
import { runProgram } from './run-program.ts'

/** Interval of notifications without a watchdog: `Type=notify` needs the first one. */
const SELDOM = 10 * 60_000

/**
 * systemd as the supervisor of this process. Its messages are datagrams, which Node cannot send to a Unix socket: `systemd-notify` does.
 * Older ones of those may end before systemd has read the message, so each message says everything.
 * @returns undefined when systemd did not start this process as a unit that notifies
 */
export function serviceNotifier(
  env: Readonly<Record<string, string | undefined>> = process.env,
  { run = runProgram, pid = process.pid } = {},
): Supervisor | undefined {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdog, WATCHDOG_PID: watched } = env
  if (socket === undefined || socket === '') return undefined
  const isWatched = watchdog !== undefined && (watched === undefined || Number(watched) === pid)
  return {
    // Two may be lost, and the third be as slow as any.
    interval: isWatched ? Math.floor(Number(watchdog) / 4000) : SELDOM,
    alive: async () => {
      const { code, stderr } = await run('systemd-notify', ['READY=1', 'WATCHDOG=1'], {
        timeout: 10_000,
        env: { NOTIFY_SOCKET: socket },
      })
      if (code !== 0) throw new Error(`systemd-notify: exit ${code}: ${stderr.trim()}`)
    },
  }
}
