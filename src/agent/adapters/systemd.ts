import { readFile } from '../../kube/file-calls.ts'
import { type MachineState, ServiceCallKilled, type ServiceManager, type ServiceState, type UnitLook } from '../ports.ts'
import { isTemplate } from '../service-managers.ts'
import { configureLinks } from './network-links.ts'
import { type Outcome, runProgram } from './run-program.ts'

const PROPERTIES = [
  'Id',
  'FragmentPath',
  'SourcePath',
  'Type',
  'RemainAfterExit',
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
const ENABLED = ['enabled', 'enabled-runtime', 'alias']
const ACTIVE_STATES: readonly ServiceState['active'][] = ['active', 'activating', 'deactivating', 'inactive', 'failed']
const RUNNABLE = /\.(?:service|socket|timer|path|mount|automount)$/
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
  /** One block a unit, in the order of `units`, also of one that systemd does not know. */
  const properties = async (...units: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await systemctl('show', `--property=${PROPERTIES.join(',')}`, '--', ...units)
    if (code !== 0) throw new Error(`systemctl show ${units.join(' ')}: exit ${code}: ${stderr.trim()}`)
    return stdout
  }
  const areEnabled = async (...units: readonly string[]): Promise<boolean> => {
    if (units.length === 0) return false
    const { stdout } = await systemctl('is-enabled', '--', ...units)
    return stdout
      .trim()
      .split('\n')
      .every((word) => ENABLED.includes(word))
  }
  /** Where its own state says nothing, as of a unit that enables others alone, and of one that is made of a script of /etc/init.d. */
  const stateIn = async (unit: string, answer: string): Promise<ServiceState> => {
    const state = parseShow(answer, monotonic())
    const isScript = /^SourcePath=\/etc\/(?:rc\.d\/)?init\.d\//m.test(answer)
    if (isScript && /^UnitFileState=generated$/m.test(answer)) return { ...state, enabled: await areEnabled(unit) }
    if (!/^UnitFileState=indirect$/m.test(answer)) return state
    return { ...state, enabled: await areEnabled(...alsoIn((await systemctl('cat', '--', unit)).stdout)) }
  }
  const showTogether = async (units: readonly string[]): Promise<UnitLook[]> => {
    // Without a unit, systemd shows itself.
    if (units.length === 0) return []
    const answers = (await properties(...units)).split('\n\n')
    if (answers.length !== units.length)
      throw new Error(`systemctl show ${units.join(' ')}: ${answers.length} answers for ${units.length} units`)
    const shown = units.map(async (unit, index) => ({ unit, service: await stateIn(unit, answers[index] ?? '') }))
    return Promise.all(shown)
  }
  /** Units that these properties of the units name. */
  const relatedTo = async (names: string, units: readonly string[]): Promise<readonly string[]> => {
    if (units.length === 0) return []
    const { code, stdout, stderr } = await systemctl('show', `--property=${names}`, '--value', '--', ...units)
    if (code !== 0) throw new Error(`systemctl show ${units.join(' ')}: exit ${code}: ${stderr.trim()}`)
    return stdout.split(/\s+/)
  }
  const showTemplate = async (unit: string): Promise<ServiceState> =>
    templateState(unit, await systemctl('is-enabled', '--', unit))
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
  /** systemd refuses to start a socket while its service runs: that has the socket's old addresses. */
  const restartSocket = async (unit: string): Promise<void> => {
    const { stdout } = await systemctl('show', '--property=Triggers', '--value', '--', unit)
    const services = stdout.trim().split(/\s+/).filter(Boolean)
    const states = await Promise.all(services.map((name) => systemctl('is-active', '--', name)))
    const running = services.filter((_, index) => states[index]?.code === 0)
    if (running.length === 0) return launch('restart', unit)
    await act('stop', ...running)
    await launch('restart', unit).catch(async (error: unknown) => {
      // What undoes this finds them as they were.
      await systemctl('start', '--', ...running)
      throw error
    })
    await act('start', ...running)
  }
  return {
    name: 'systemd',
    show: async (unit) => (isTemplate(unit) ? showTemplate(unit) : stateIn(unit, await properties(unit))),
    showAll: async (units) => {
      const templates = units.filter(isTemplate).map(async (unit) => ({ unit, service: await showTemplate(unit) }))
      return [...(await showTogether(units.filter((unit) => !isTemplate(unit)))), ...(await Promise.all(templates))]
    },
    stoppedWith: (units) =>
      dependentsOf(
        units.filter((unit) => !isTemplate(unit)),
        relatedTo,
      ),
    restart: (unit) => (unit.endsWith('.socket') ? restartSocket(unit) : launch('restart', unit)),
    start: (unit) => launch('start', unit),
    stop: async (unit) => {
      await act('stop', unit)
      await systemctl('reset-failed', '--', unit)
    },
    enable: (unit) => act('enable', unit),
    disable: (unit) => act('disable', unit),
    dropLeftovers: (units) => configureLinks(units, run),
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

/** All that require one of these, or one of those; the service of a socket stops before that restarts. */
async function dependentsOf(
  units: readonly string[],
  relatedTo: (properties: string, units: readonly string[]) => Promise<readonly string[]>,
): Promise<string[]> {
  const found = new Set(units)
  for (let latest = units; latest.length > 0; ) {
    const sockets = latest.filter((unit) => unit.endsWith('.socket'))
    const related = [...(await relatedTo('RequiredBy,BoundBy,ConsistsOf', latest)), ...(await relatedTo('Triggers', sockets))]
    // A target that is started would start whatever belongs to it.
    latest = [...new Set(related)].filter((unit) => RUNNABLE.test(unit) && !found.has(unit))
    for (const unit of latest) found.add(unit)
  }
  return [...found].filter((unit) => !units.includes(unit))
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
    isGone: isGone(properties),
    active: activeIn(properties.get('ActiveState') ?? ''),
    isJob: isJob(properties),
    enabled: ENABLED.includes(properties.get('UnitFileState') ?? ''),
    isStatic: properties.get('UnitFileState') === 'static',
    mainPid,
    restarts: number('NRestarts'),
    runningFor: mainPid === 0 || started === 0 ? 0 : Math.max(0, Math.round(now - started / 1000)),
    lastExit: number('ExecMainStatus'),
  }
}

/** One that remains after its exit would go on with what it read before. */
function isJob(properties: ReadonlyMap<string, string>): boolean {
  const isOneshot = properties.get('Type') === 'oneshot' && properties.get('RemainAfterExit') !== 'yes'
  return isOneshot && properties.get('ActiveState') === 'activating'
}

/** Pure: units that are enabled with a unit. @param text its files */
function alsoIn(text: string): readonly string[] {
  return [...text.matchAll(/^Also=(.*)$/gm)].flatMap(([, names = '']) => names.split(/\s+/)).filter((name) => name !== '')
}

/** What is mounted has a unit as long as it is, with or without a file. */
function isGone(properties: ReadonlyMap<string, string>): boolean {
  if (properties.get('LoadState') === 'not-found') return true
  return /\.(?:mount|swap)$/.test(properties.get('Id') ?? '') && properties.get('FragmentPath') === ''
}

/** Its instances run, and never it; systemd shows nothing of it but whether it is enabled. */
function templateState(unit: string, { code, stdout, stderr }: Outcome): ServiceState {
  // Older versions than 253 of systemd say it as an error.
  const word = stdout.trim() || (stderr.includes('No such file') ? 'not-found' : '')
  if (word === '') throw new Error(`systemctl is-enabled ${unit}: exit ${code}: ${stderr.trim()}`)
  const loadState = word === 'not-found' ? word : word.startsWith('masked') ? 'masked' : 'loaded'
  return parseShow(`LoadState=${loadState}\nUnitFileState=${word}\n`, 0)
}

function activeIn(state: string): ServiceState['active'] {
  return RELOADING.includes(state) ? 'active' : (ACTIVE_STATES.find((known) => known === state) ?? 'inactive')
}

/** CLOCK_MONOTONIC, in milliseconds: systemd takes its stamps from the same. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
