import { expect, test } from 'vitest'
import { type InstallOptions, install } from '../../../src/agent/install/install.ts'
import { FakeInstallHost } from './fake-install-host.ts'

const installOn = (host: FakeInstallHost, version: string, more: Partial<InstallOptions> = {}) =>
  install({ version, proof: 60_000, stateDirectory: '/var/lib/nodewave', retry: false, ...more }, host)

async function hostWith(version: string, ...others: string[]): Promise<FakeInstallHost> {
  const host = new FakeInstallHost([version, ...others])
  await installOn(host, version)
  return host
}

test('install starts the agent on a host without one, with its unit, and waits until it reports', async () => {
  const host = new FakeInstallHost(['1.0.0'])
  expect(await installOn(host, '1.0.0')).toBe('installed')
  expect(host.running).toBe('1.0.0')
  expect(host.enabled).toBe(true)
  expect(host.links).toEqual(new Map([['/opt/nodewave/current', '1.0.0']]))
  expect(host.files.get('/etc/systemd/system/nodewave-agent.service')).toBe('unit of 1.0.0')
})

test('install disturbs no agent that is the wanted one and reports', async () => {
  const host = await hostWith('1.0.0')
  expect(await installOn(host, '1.0.0')).toBe('installed')
  expect(host.stopped).toEqual([])
})

test('install has the agent that runs finish its change, however long that takes, before the new one starts', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.changeTakes = 15 * 60_000
  expect(await installOn(host, '1.1.0')).toBe('installed')
  expect(host.stopped).toEqual(['1.0.0 left'])
  expect(host.clock.now()).toBeGreaterThan(15 * 60_000)
  expect(host.running).toBe('1.1.0')
})

test.each(['1.0.0', '1.1.0'])(
  'install does not restart an agent in the middle of a change when %s has not reached its Node',
  async (silent) => {
    const host = await hostWith('1.0.0', '1.1.0')
    const journal = '/var/lib/nodewave/journal.jsonl'
    host.behaviours.set(silent, 'silent')
    await host.services.restart()
    host.stopped.length = 0
    host.files.set(journal, '')
    const { restart } = host.services
    host.services.restart = () => {
      expect(host.files.has(journal)).toBe(false)
      return restart()
    }
    const { sleep } = host.clock
    host.clock.sleep = async (milliseconds) => {
      await sleep(milliseconds)
      if (host.clock.now() > 5 * 60_000) host.files.delete(journal)
    }
    await installOn(host, '1.1.0')
    expect(host.stopped.at(-1)).toMatch(/restarted$/)
    expect(host.clock.now()).toBeGreaterThan(5 * 60_000)
  },
)

test('install keeps the version before, and removes older ones', async () => {
  const host = await hostWith('1.0.0', '1.1.0', '1.2.0')
  await installOn(host, '1.1.0')
  await installOn(host, '1.2.0')
  expect(await host.list('/opt/nodewave')).toEqual(['1.1.0', '1.2.0', 'current', 'previous'])
})

test('install removes a version that did not report when a later one does', async () => {
  const host = await hostWith('1.0.0', '1.1.0', '1.2.0')
  host.behaviours.set('1.1.0', 'silent')
  await installOn(host, '1.1.0')
  await installOn(host, '1.2.0')
  expect(await host.list('/opt/nodewave')).toEqual(['1.0.0', '1.2.0', 'current', 'previous'])
})

test('install goes back beyond a version whose proof was cut short', async () => {
  const host = await hostWith('1.0.0', '1.1.0', '1.2.0')
  host.behaviours.set('1.1.0', 'silent').set('1.2.0', 'silent')
  await installOn(endingAt(host, 30), '1.1.0').catch(() => undefined)
  expect(host.running).toBe('1.1.0')
  expect(await installOn(host, '1.2.0')).toBe('went back')
  expect(host.running).toBe('1.0.0')
})

test.each(['crashes', 'silent'] as const)('install goes back to the version before when the new one %s', async (behaviour) => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.behaviours.set('1.1.0', behaviour)
  expect(await installOn(host, '1.1.0')).toBe('went back')
  expect(host.running).toBe('1.0.0')
  expect(host.files.get('/etc/systemd/system/nodewave-agent.service')).toBe('unit of 1.0.0')
  expect(host.said).toContain('  its last words')
})

test('install does not try a version again that did not report, unless it is told to', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.behaviours.set('1.1.0', 'silent')
  await installOn(host, '1.1.0')
  host.behaviours.delete('1.1.0')
  const before = [...host.stopped]
  expect(await installOn(host, '1.1.0')).toBe('refused')
  expect(host.stopped).toEqual(before)
  expect(await installOn(host, '1.1.0', { retry: true })).toBe('installed')
  expect(host.running).toBe('1.1.0')
})

test('install waits for a report as long as it should when the clock is set ahead meanwhile', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  const { sleep } = host.clock
  host.clock.sleep = async (milliseconds) => {
    const runs = host.running === '1.1.0'
    await sleep(milliseconds)
    if (runs) host.setAhead = 3_600_000
  }
  expect(await installOn(host, '1.1.0')).toBe('installed')
  expect(host.running).toBe('1.1.0')
})

test('install leaves the first agent of a host running when it does not reach its Node', async () => {
  const host = new FakeInstallHost(['1.0.0'])
  host.behaviours.set('1.0.0', 'silent')
  expect(await installOn(host, '1.0.0')).toBe('unproved')
  expect(host.running).toBe('1.0.0')
})

test('install leaves a version running that does not report when the files of the one before are gone', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  await host.remove('/opt/nodewave/1.0.0')
  host.behaviours.set('1.1.0', 'silent')
  expect(await installOn(host, '1.1.0')).toBe('unproved')
  expect(host.running).toBe('1.1.0')
})

test('install never goes back from a version to itself when the version runs after another did not report', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.behaviours.set('1.1.0', 'silent')
  await installOn(host, '1.1.0')
  host.behaviours.set('1.0.0', 'silent')
  await host.services.restart()
  const { sleep } = host.clock
  host.clock.sleep = async (milliseconds) => {
    await sleep(milliseconds)
    if (host.clock.now() > 150_000) host.behaviours.delete('1.0.0')
  }
  expect(await installOn(host, '1.0.0')).toBe('unproved')
  expect(host.files.has('/opt/nodewave/1.0.0/refused')).toBe(false)
})

test('install keeps the version before when somebody removed the files of the current one', async () => {
  const host = await hostWith('1.0.0', '1.1.0', '1.2.0')
  await installOn(host, '1.1.0')
  await host.remove('/opt/nodewave/1.1.0')
  host.behaviours.set('1.2.0', 'silent')
  expect(await installOn(host, '1.2.0')).toBe('went back')
  expect(host.running).toBe('1.0.0')
})

test('install understands links that somebody made with absolute paths', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.links.set('/opt/nodewave/current', '/opt/nodewave/1.0.0')
  host.behaviours.set('1.1.0', 'silent')
  expect(await installOn(host, '1.1.0')).toBe('went back')
  expect(host.links.get('/opt/nodewave/current')).toBe('1.0.0')
})

test.each(['../tools', '/srv/tools', '.', '..'])(
  'install removes nothing outside of versions when "previous" leads to "%s"',
  async (target) => {
    const host = await hostWith('1.0.0', '1.1.0')
    host.files.set('/opt/tools/program', '').set('/srv/tools/program', '').set('/opt/nodewave/notes', '')
    host.links.set('/opt/nodewave/previous', target)
    const removed: string[] = []
    const { remove } = host
    host.remove = async (path) => {
      removed.push(path)
      return remove.call(host, path)
    }
    expect(await installOn(host, '1.1.0')).toBe('installed')
    expect(removed).toEqual([])
    expect(host.links.get('/opt/nodewave/previous')).toBe('1.0.0')
  },
)

test.each(['current', 'previous'])('install changes nothing when "%s" is no link', async (name) => {
  const host = await hostWith('1.0.0', '1.1.0')
  host.links.delete(`/opt/nodewave/${name}`)
  host.files.set(`/opt/nodewave/${name}/theirs`, '')
  const links = new Map(host.links)
  await expect(installOn(host, '1.1.0')).rejects.toThrow(
    `install the agent: "/opt/nodewave/${name}" is not a link, so install did not make it; move it away and install again`,
  )
  expect([host.links, host.running]).toEqual([links, '1.0.0'])
})

test('install fails when neither the new agent nor the one before reports', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  for (const version of ['1.0.0', '1.1.0']) host.behaviours.set(version, 'silent')
  await expect(installOn(host, '1.1.0')).rejects.toThrow('go back to version 1.0.0 of the agent: it does not report either')
})

test('install tries a version again after an outage in which the one before did not report either', async () => {
  const host = await hostWith('1.0.0', '1.1.0')
  for (const version of ['1.0.0', '1.1.0']) host.behaviours.set(version, 'silent')
  await installOn(host, '1.1.0').catch(() => undefined)
  host.behaviours.clear()
  expect(await installOn(host, '1.1.0')).toBe('installed')
  expect(host.running).toBe('1.1.0')
})

test('install leaves a version running that came after the one that did not report', async () => {
  const host = await hostWith('1.0.0', '1.1.0', '1.2.0')
  for (const version of ['1.1.0', '1.2.0']) host.behaviours.set(version, 'silent')
  await installOn(host, '1.1.0')
  await installOn(endingAt(host, 30), '1.2.0').catch(() => undefined)
  expect(await installOn(host, '1.1.0')).toBe('refused')
  expect(host.links.get('/opt/nodewave/current')).toBe('1.2.0')
})

test('install writes the name of the Node for the unit, and starts the agent again when it changes', async () => {
  const host = await hostWith('1.0.0')
  expect(await installOn(host, '1.0.0', { nodeName: 'worker-1' })).toBe('installed')
  expect(host.files.get('/etc/systemd/system/nodewave-agent.service.d/10-install.conf')).toBe(
    '[Service]\nEnvironment=NODE_NAME=worker-1\n',
  )
  expect(host.stopped).toEqual(['1.0.0 left'])
})

/** Ends the process that installs at its nth look or write. */
function endingAt(host: FakeInstallHost, count: number): FakeInstallHost {
  let left = count
  return new Proxy(host, {
    get(target, name) {
      if (--left < 0) throw new Error('ended')
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

test.each(['reports', 'silent'] as const)(
  'an installation that was ended anywhere, of a version that %s, ends as one that was not',
  async (behaviour) => {
    const wanted = behaviour === 'reports' ? '1.1.0' : '1.0.0'
    for (let [count, isEnded] = [1, true]; isEnded; count++) {
      const host = await hostWith('1.0.0', '1.1.0')
      host.behaviours.set('1.1.0', behaviour)
      isEnded = await installOn(endingAt(host, count), '1.1.0').then(
        () => false,
        () => true,
      )
      const again = await installOn(host, '1.1.0')
      expect([count, host.running, host.links.get('/opt/nodewave/current')]).toEqual([count, wanted, wanted])
      expect(['installed', 'went back', 'refused']).toContain(again)
    }
  },
)
