import type { ServiceManager, ServiceState } from '../ports.ts'
import { runProgram } from './run-program.ts'

const PROPERTIES = [
  'LoadState',
  'ActiveState',
  'UnitFileState',
  'MainPID',
  'NRestarts',
  'ExecMainStartTimestampMonotonic',
  'ExecMainStatus',
]
const ACTIVE_STATES: readonly ServiceState['active'][] = ['active', 'activating', 'deactivating', 'inactive', 'failed']

/** systemd by `systemctl`: 3 ms a call, and no library to keep. */
export function systemd(): ServiceManager {
  return {
    show: async (unit) => {
      const { stdout } = await systemctl(['show', unit, `--property=${PROPERTIES.join(',')}`])
      return parseShow(stdout, monotonic())
    },
    restart: (unit) => act(['restart', unit]),
    start: (unit) => act(['start', unit]),
    stop: (unit) => act(['stop', unit]),
    enable: (unit) => act(['enable', unit]),
    disable: (unit) => act(['disable', unit]),
    reload: () => act(['daemon-reload']),
    lastWords: async (unit, since) => {
      const args = ['--unit', unit, '--since', `@${Math.floor(since / 1000)}`, '--lines', '40', '--output', 'cat', '--no-pager']
      const { stdout } = await runProgram('journalctl', args, { timeout: 10_000 })
      return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('-- '))
    },
  }
}

/**
 * @param output of `systemctl show --property=…`, one `Key=value` a line
 * @param now milliseconds by the clock that its monotonic stamps are taken from, so that a jump of the wall clock does not age a process
 */
export function parseShow(output: string, now: number): ServiceState {
  const properties = new Map(
    output.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const number = (key: string): number => Number.parseInt(properties.get(key) ?? '', 10) || 0
  const mainPid = number('MainPID')
  const started = number('ExecMainStartTimestampMonotonic')
  return {
    exists: properties.get('LoadState') === 'loaded',
    active: ACTIVE_STATES.find((state) => state === properties.get('ActiveState')) ?? 'inactive',
    enabled: ['enabled', 'enabled-runtime', 'static', 'alias'].includes(properties.get('UnitFileState') ?? ''),
    mainPid,
    restarts: number('NRestarts'),
    runningFor: mainPid === 0 || started === 0 ? 0 : Math.max(0, Math.round(now - started / 1000)),
    lastExit: number('ExecMainStatus'),
  }
}

/** A unit that is slow to stop holds `restart` for its stop timeout, 90 s by default: wait that out. */
async function act(args: readonly string[]): Promise<void> {
  const { code, stderr } = await systemctl(args)
  if (code !== 0) throw new Error(`systemctl ${args.join(' ')}: exit ${code}: ${stderr.trim()}`)
}

function systemctl(args: readonly string[]): ReturnType<typeof runProgram> {
  return runProgram('systemctl', [...args, '--no-ask-password'], { timeout: 120_000 })
}

/** CLOCK_MONOTONIC, in milliseconds: systemd takes its stamps from the same. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
