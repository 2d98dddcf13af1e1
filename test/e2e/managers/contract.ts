/**
 * Runs inside a machine: what each service manager has to do for the agent, asked of the real programs by the agent's own adapter.
 * `node contract.ts MANAGER`; a claim that does not hold ends it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findServiceManager, serviceManager } from '../../../src/agent/adapters/services/find-service-manager.ts'
import type { ServiceManager, ServiceState } from '../../../src/agent/ports.ts'
import { SERVICE_MANAGERS } from '../../../src/agent/service-managers.ts'
import { check } from '../scenario.ts'

const UNIT = 'tiny.service'
const STRANGER = 'stranger.service'

const found = await findServiceManager()
const name = SERVICE_MANAGERS.find((manager) => manager === process.argv[2])
check(`the manager of this machine is found`, found === name, found)
const services = serviceManager(found)
await contract(services)
console.log(`contract held by ${services.name}`)

async function contract(services: ServiceManager): Promise<void> {
  const show = () => services.show(UNIT)
  check(
    'a service that nobody started is stopped',
    matches(await show(), { exists: true, active: 'inactive', mainPid: 0, enabled: false }),
    await show(),
  )
  check('an unknown service does not exist', !(await services.show(STRANGER)).exists)
  check('an unknown service cannot be started', await isRefused(services.start(STRANGER)))
  const [stranger, tiny] = await services.showAll([STRANGER, UNIT])
  check('many are shown at once, each by its name', !stranger?.service.exists && tiny?.unit === UNIT && tiny.service.exists)
  check('a unit that is no service does not exist', !(await services.show('data.mount')).exists)

  await services.reload()
  await services.start(UNIT)
  const first = await until(show, ({ active, mainPid }) => active === 'active' && mainPid > 0, 'started')
  check('what was started is not enabled by that', !first.enabled)
  await services.start(UNIT)
  check('a second start changes nothing', (await show()).mainPid === first.mainPid)
  const later = await until(show, ({ runningFor }) => runningFor >= 1000, 'running for a second')
  check('it runs as long as it says', later.runningFor < 60_000, later)

  await services.enable(UNIT)
  await services.enable(UNIT)
  check('enabling does not restart it', matches(await show(), { enabled: true, mainPid: first.mainPid }), await show())
  await services.disable(UNIT)
  await services.disable(UNIT)
  check('disabling does not stop it', matches(await show(), { enabled: false, mainPid: first.mainPid }), await show())

  const restarted = Date.now()
  await services.restart(UNIT)
  const second = await until(show, ({ active, mainPid }) => active === 'active' && mainPid !== first.mainPid, 'restarted')
  check('a restart of ours is no restart to be counted', second.restarts === 0, second)
  const isSaid = async () => (await services.lastWords(UNIT, restarted)).includes('tiny starts')
  for (let look = 0; look < 50 && !(await isSaid()); look++) await sleep(100)
  check('the log of the last start is there', services.name === 'sysvinit' || (await isSaid()))

  process.kill(second.mainPid, 'SIGKILL')
  const killed = await until(show, ({ mainPid }) => mainPid !== second.mainPid, 'found dead')
  check('a killed daemon is not taken for one that runs', killed.active !== 'active' || killed.mainPid > 0, killed)
  await services.restart(UNIT)
  const third = await until(show, ({ active, mainPid }) => active === 'active' && mainPid > 0, 'running again')
  await services.stop(UNIT)
  await until(show, ({ active, mainPid }) => active === 'inactive' && mainPid === 0, 'stopped')
  await services.stop(UNIT)
  check('its process has ended', !isAlive(third.mainPid))
  await dying(services)
  check('the machine is up', (await services.machine()) === 'up', await services.machine())
  check('the machine has a boot id', /^[0-9a-f-]{36}$/.test(await services.bootId()))
}

/** One that ends by itself again and again, or once and for all, is at no moment one that has run for long. */
async function dying(services: ServiceManager): Promise<void> {
  await services.start('dying.service').catch(() => {})
  const seen = new Set<string>()
  for (let look = 0; look < 12; look++) {
    const { active, runningFor } = await services.show('dying.service')
    seen.add(active)
    check('a service that dies does not run for long', runningFor < 2000, runningFor)
    await sleep(250)
  }
  check('a service that dies is seen', seen.has('failed') || seen.has('activating'), [...seen])
  await services.stop('dying.service')
  await until(
    () => services.show('dying.service'),
    ({ mainPid, active }) => mainPid === 0 && active === 'inactive',
    'stopped for good',
  )
}

function matches(state: ServiceState, expected: Partial<ServiceState>): boolean {
  return Object.entries(expected).every(([key, value]) => state[key as keyof ServiceState] === value)
}

async function until(
  show: () => Promise<ServiceState>,
  holds: (state: ServiceState) => boolean,
  what: string,
): Promise<ServiceState> {
  for (let look = 0; look < 200; look++) {
    const state = await show()
    if (holds(state)) return state
    await sleep(100)
  }
  throw new Error(`${UNIT} was not ${what}: ${JSON.stringify(await show())}`)
}

function isRefused(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
