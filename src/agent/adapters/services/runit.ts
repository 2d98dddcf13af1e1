import { rm, symlink, writeFile } from '../../../kube/file-calls.ts'
import type { MachineState, ServiceManager, ServiceState } from '../../ports.ts'
import { serviceName } from '../../service-managers.ts'
import { startedIn } from '../proc-processes.ts'
import { runProgram } from '../run-program.ts'
import type { HostPlace } from './host-place.ts'
import { act } from './service-call.ts'
import { kernelBootId, MISSING, type ServicePartsOptions, serviceParts, showEach, stateOf } from './service-parts.ts'

/** Directories of services, and those of them that runsvdir watches: /var/service on Void, /etc/service on Debian. */
const SERVICES = '/etc/sv'
const WATCHED = ['/etc/service', '/var/service']
/** Seconds that a service has to stop before it is killed. */
const LONGEST_STOP = '90'
const LONGEST_START = '60'
/** runsvdir looks for new services every 5 s. */
const POLL = 250
const MOST_POLLS = 60

export interface RunitOptions extends ServicePartsOptions {
  readonly ask?: typeof runProgram
}

/** runit by `sv`, and by the links and `down` files that it reads. */
export function runit({ ask = runProgram, ...options }: RunitOptions = {}): ServiceManager {
  const { place, processes, logs, run, sleep } = serviceParts(options)
  const status = async (service: string): Promise<SvStatus> =>
    parseStatus((await ask('sv', ['status', `${SERVICES}/${service}`], { timeout: 10_000 })).stdout)
  const sv = (args: readonly string[], service: string): Promise<void> => act(run, 'sv', [...args, `${SERVICES}/${service}`])

  /** runsv looks for `down` only when it comes: so nothing is started by that. */
  const supervise = async (service: string): Promise<void> => {
    const link = await linkOf(service, place)
    if (link.isThere) return
    await writeFile(place.path(downFile(service)), '')
    await symlink(`${SERVICES}/${service}`, place.path(link.path))
    for (let polls = 0; (await status(service)).active === 'unsupervised'; polls++) {
      if (polls === MOST_POLLS) throw new Error(`supervise "${service}": runsvdir does not take up "${link.path}"; does it run?`)
      await sleep(POLL)
    }
  }
  const launch = async (verb: 'start' | 'force-restart', unit: string): Promise<void> => {
    const service = await required(unit, place)
    await supervise(service)
    processes.startedByUs(service)
    await logs.mark(service, { at: Date.now(), files: await logFiles(service, place) })
    await sv(['-w', verb === 'start' ? LONGEST_START : LONGEST_STOP, verb], service)
  }
  const show = async (unit: string): Promise<ServiceState> => {
    const service = await known(unit, place)
    if (service === undefined) return MISSING
    const { active, pid } = await status(service)
    const process = await processes.find(pid === undefined ? [] : [pid])
    const enabled = await isEnabled(service, place)
    const restarts = processes.restarts(service, process)
    // runsv has not noticed yet that it died, and starts it again when it does.
    const isDead = active === 'active' && process === undefined
    const shown = active === 'unsupervised' ? 'inactive' : isDead ? 'activating' : active
    return stateOf(shown, { process, enabled, restarts })
  }
  return {
    name: 'runit',
    show,
    showAll: showEach(show),
    stoppedWith: async () => [],
    start: (unit) => launch('start', unit),
    restart: (unit) => launch('force-restart', unit),
    stop: async (unit) => {
      const service = await required(unit, place)
      if ((await status(service)).active !== 'unsupervised') await sv(['-w', LONGEST_STOP, 'force-stop'], service)
    },
    enable: async (unit) => {
      const service = await required(unit, place)
      await supervise(service)
      await rm(place.path(downFile(service)), { force: true })
    },
    // The link stays: without it, runsvdir would stop what runs.
    disable: async (unit) => {
      const service = await required(unit, place)
      if (await isEnabled(service, place)) await writeFile(place.path(downFile(service)), '')
    },
    // Scripts are read at each start.
    reload: async () => {},
    machine: () => machine(place),
    bootId: () => kernelBootId(place),
    // The program that was the first process: Debian and Void name it alike.
    reboot: () => act(run, 'init', ['6']),
    lastWords: async (unit, since) => {
      const service = await required(unit, place)
      return logs.last(service, { since, files: await logFiles(service, place) })
    },
  }
}

interface SvStatus {
  /** `unsupervised`: no runsv looks after it. */
  readonly active: ServiceState['active'] | 'unsupervised'
  readonly pid?: number
}

/** @param text of `sv status`, a line such as `run: /etc/sv/x: (pid 37) 12s, normally down; run: log: (pid 30) 12s`. Pure. */
export function parseStatus(text: string): SvStatus {
  const [own = ''] = text.split('; ')
  const state = /^(run|down|finish): /.exec(own)?.[1]
  const pid = /\(pid (\d+)\)/.exec(own)?.[1]
  if (state === 'run') {
    const active = /, want down/.test(own) ? 'deactivating' : 'active'
    return pid === undefined ? { active } : { active, pid: Number(pid) }
  }
  if (state === 'down') return { active: /, want up/.test(own) ? 'activating' : 'inactive' }
  if (state === 'finish') return { active: /, want down/.test(own) ? 'deactivating' : 'activating' }
  return { active: 'unsupervised' }
}

async function known(unit: string, place: HostPlace): Promise<string | undefined> {
  const service = serviceName(unit)
  return service !== undefined && (await place.exists(`${SERVICES}/${service}/run`)) ? service : undefined
}

async function required(unit: string, place: HostPlace): Promise<string> {
  const service = await known(unit, place)
  if (service !== undefined) return service
  throw new Error(`find service "${unit}": there is no "${SERVICES}/${serviceName(unit) ?? 'NAME'}/run"`)
}

function downFile(service: string): string {
  return `${SERVICES}/${service}/down`
}

async function linkOf(service: string, place: HostPlace): Promise<{ readonly path: string; readonly isThere: boolean }> {
  for (const directory of WATCHED) {
    if (!(await place.exists(directory))) continue
    const path = `${directory}/${service}`
    return { path, isThere: await place.exists(path) }
  }
  throw new Error(`supervise "${service}": there is neither ${WATCHED.map((path) => `"${path}"`).join(' nor ')}`)
}

async function isEnabled(service: string, place: HostPlace): Promise<boolean> {
  return (await linkOf(service, place)).isThere && !(await place.exists(downFile(service)))
}

/** Of svlogd, as the script of the log names its directory. */
async function logFiles(service: string, place: HostPlace): Promise<string[]> {
  const script = (await place.text(`${SERVICES}/${service}/log/run`)) ?? ''
  const named = /\bsvlogd\b[^\n]*?\s(\.{0,2}\/\S+|\.)\s*$/m.exec(script)?.[1]
  const own = named?.startsWith('.') ? `${SERVICES}/${service}/log/${named}` : named
  return [...(own === undefined ? [] : [own]), `/var/log/${service}`].map((directory) => place.path(`${directory}/current`))
}

/** Services run below runsvdir: it comes when the machine is up, and ends before services are stopped. */
async function machine(place: HostPlace): Promise<MachineState> {
  for (const pid of await place.names('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const stat = await place.text(`/proc/${pid}/stat`).catch(() => undefined)
    if (stat?.includes(' (runsvdir) ') && startedIn(stat) !== '') return 'up'
  }
  return 'stopping'
}
