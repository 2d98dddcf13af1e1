import { readFile } from '../../kube/file-calls.ts'
import { type MachineState, ServiceCallKilled, type ServiceManager, type ServiceState } from '../ports.ts'
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
/** Milliseconds. A unit that is slow to stop holds `restart` for its stop timeout, 90 s by default: wait that out. */
const LONGEST_STOP = 120_000
const ACTIVE_STATES: readonly ServiceState['active'][] = ['active', 'activating', 'deactivating', 'inactive', 'failed']
/** A unit in these states runs, and reads its configuration again. */
const RELOADING = ['reloading', 'refreshing']

const MACHINE_STATES: ReadonlyMap<string, MachineState> = new Map([
  ['initializing', 'starting'],
  ['starting', 'starting'],
  ['stopping', 'stopping'],
])

/** systemd by `systemctl`: 3 ms a call, and no library to keep. */
export function systemd(run: typeof runProgram = runProgram): ServiceManager {
  const systemctl = (verb: string, ...args: readonly string[]) =>
    run('systemctl', [verb, '--no-ask-password', ...args], { timeout: LONGEST_STOP })
  /** A unit's name may begin with a dash, and is no option then. */
  const act = async (verb: string, ...units: readonly string[]): Promise<void> => {
    const { code, stderr, timedOut } = await systemctl(verb, '--', ...units)
    if (code === -1 && !timedOut) throw new ServiceCallKilled(`systemctl ${[verb, ...units].join(' ')} was killed`)
    if (code !== 0) throw new Error(`systemctl ${[verb, ...units].join(' ')}: exit ${code}: ${stderr.trim()}`)
  }
  /** A unit that failed too often is not started again, not even by hand, until its failures are forgotten. */
  const launch = async (verb: string, unit: string): Promise<void> => {
    await systemctl('reset-failed', '--', unit)
    await act(verb, unit)
  }
  return {
    name: 'systemd',
    show: async (unit) => {
      const { code, stdout, stderr } = await systemctl('show', `--property=${PROPERTIES.join(',')}`, '--', unit)
      if (code !== 0) throw new Error(`systemctl show ${unit}: exit ${code}: ${stderr.trim()}`)
      return parseShow(stdout, monotonic())
    },
    restart: (unit) => launch('restart', unit),
    start: (unit) => launch('start', unit),
    stop: (unit) => act('stop', unit),
    enable: (unit) => act('enable', unit),
    disable: (unit) => act('disable', unit),
    reload: () => act('daemon-reload'),
    // Its exit code says whether all is well, which is another question.
    bootId: async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    reboot: async () => {
      const { stdout } = await run('systemd-inhibit', ['--list', '--no-legend', '--no-pager'], { timeout: 10_000 })
      const [inhibitor] = stdout.split('\n').filter(blocksShutdown)
      if (inhibitor !== undefined) throw new Error(`systemctl reboot is inhibited: ${inhibitor.trim().replace(/ +/g, ' ')}`)
      await act('reboot')
    },
    machine: async () => MACHINE_STATES.get((await systemctl('is-system-running')).stdout.trim()) ?? 'up',
    lastWords: async (unit, since) => {
      const args = ['--unit', unit, '--since', `@${Math.floor(since / 1000)}`, '--lines', '200', '--output', 'cat', '--no-pager']
      const { stdout } = await run('journalctl', args, { timeout: 10_000 })
      return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('-- '))
    },
  }
}

/** WHO UID USER PID COMM WHAT WHY MODE. What only delays a shutdown ends by itself. */
function blocksShutdown(line: string): boolean {
  return / block\s*$/.test(line) && /[ :]shutdown[ :]/.test(line)
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
    active: activeIn(properties.get('ActiveState') ?? ''),
    enabled: ['enabled', 'enabled-runtime', 'alias'].includes(properties.get('UnitFileState') ?? ''),
    isStatic: properties.get('UnitFileState') === 'static',
    mainPid,
    restarts: number('NRestarts'),
    runningFor: mainPid === 0 || started === 0 ? 0 : Math.max(0, Math.round(now - started / 1000)),
    lastExit: number('ExecMainStatus'),
  }
}

function activeIn(state: string): ServiceState['active'] {
  return RELOADING.includes(state) ? 'active' : (ACTIVE_STATES.find((known) => known === state) ?? 'inactive')
}

/** CLOCK_MONOTONIC, in milliseconds: systemd takes its stamps from the same. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
