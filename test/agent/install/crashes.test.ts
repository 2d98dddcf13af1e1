/** Installers that are killed at every boundary, and called again. */
import { expect, test } from 'vitest'
import { install } from '../../../src/agent/install/install.ts'
import type { InstallHost } from '../../../src/agent/install/install-host.ts'
import { place } from '../../../src/agent/install/place.ts'
import { uninstall } from '../../../src/agent/install/uninstall.ts'
import { type Behaviour, FakeInstallHost } from './fake-install-host.ts'

class Killed extends Error {}
const EFFECTS = ['setLink', 'write', 'rename', 'askToLeave']
const ORDERS = ['start', 'restart', 'stop', 'enable', 'disable', 'reload']

/** The host as an installer sees it that is killed right after its effect of that number; a folder is removed file by file. */
function killedAfter(host: FakeInstallHost, last: number): InstallHost {
  let effects = 0
  const after = (): void => {
    effects += 1
    if (effects === last) throw new Killed()
  }
  host.removed = after
  const counted = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get: (object, key) => {
        const member: unknown = Reflect.get(object, key)
        if (key === 'services') return counted(member as object, ORDERS)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const result: unknown = Reflect.apply(member, object, args)
          if (!names.includes(String(key))) return result
          if (!(result instanceof Promise)) return after()
          return result.then((value: unknown) => {
            after()
            return value
          })
        }
      },
    })
  return counted<InstallHost>(host, EFFECTS)
}

const OPTIONS = { proof: 60_000, stateDirectory: '/var/lib/nodewave', retry: false, nodeName: 'n1' }

/** A host that runs 1.1.0, came from 1.0.0, and has the folders of 1.2.0 and 1.3.0. */
async function aHost(behaviour: Behaviour = 'reports', { renamesNothing = false } = {}): Promise<FakeInstallHost> {
  const host = new FakeInstallHost(['1.0.0', '1.1.0', '1.2.0', '1.3.0'])
  host.renamesNothing = renamesNothing
  for (const version of ['1.0.0', '1.1.0']) await install({ ...OPTIONS, version }, host)
  host.behaviours.set('1.2.0', behaviour)
  return host
}

const stateOf = (host: FakeInstallHost) => ({
  links: [...host.links].sort(),
  files: [...host.files].sort(),
  running: host.running,
  enabled: host.enabled,
})

const TASKS = {
  install: (host: InstallHost) => install({ ...OPTIONS, version: '1.2.0' }, host),
  place: (host: InstallHost) => place({ version: '1.2.0', nodeName: 'n1' }, host),
  uninstall: (host: InstallHost) => uninstall('/var/lib/nodewave', host),
}

/** @param make a host as it is before the task */
async function checkKills(make: () => Promise<FakeInstallHost>, task: (host: InstallHost) => Promise<unknown>): Promise<void> {
  const whole = await make()
  await task(whole)
  const wanted = stateOf(whole)
  let kills = 0
  for (let last = 1; ; last++) {
    const host = await make()
    const ended = await task(killedAfter(host, last)).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error
        return false
      },
    )
    if (ended) break
    kills += 1
    host.removed = () => undefined
    await task(host)
    expect(stateOf(host), `killed after effect ${last}`).toEqual(wanted)
  }
  expect(kills).toBeGreaterThan(2)
}

test.each([
  ['install', 'reports', 'renames'],
  ['install', 'silent', 'renames'],
  ['install', 'crashes', 'renames'],
  ['place', 'reports', 'renames'],
  ['uninstall', 'reports', 'renames'],
  ['install', 'reports', 'does not rename'],
  ['place', 'reports', 'does not rename'],
  ['uninstall', 'reports', 'does not rename'],
] as const)(
  '%s of a version that %s, on a disk that %s folders, ends as if it had never been killed',
  async (name, behaviour, disk) => {
    await checkKills(() => aHost(behaviour, { renamesNothing: disk !== 'renames' }), TASKS[name])
  },
)

test.each(['renames', 'does not rename'])(
  'install after a version that did not report, on a disk that %s folders, ends as if it had never been killed',
  async (disk) => {
    const make = async (): Promise<FakeInstallHost> => {
      const host = await aHost('silent', { renamesNothing: disk !== 'renames' })
      await TASKS.install(host)
      return host
    }
    await checkKills(make, (host) => install({ ...OPTIONS, version: '1.3.0' }, host))
  },
)
