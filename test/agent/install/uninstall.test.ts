import { expect, test } from 'vitest'
import { install } from '../../../src/agent/install/install.ts'
import { uninstall } from '../../../src/agent/install/uninstall.ts'
import { FakeInstallHost } from './fake-install-host.ts'

async function installed(): Promise<FakeInstallHost> {
  const host = new FakeInstallHost(['1.0.0', '1.1.0'])
  for (const version of ['1.0.0', '1.1.0'])
    await install({ version, proof: 60_000, stateDirectory: '/var/lib/nodewave', retry: false, nodeName: 'n1' }, host)
  host.files.set('/var/lib/nodewave/meta/outcome.json', '{}')
  return host
}

test('uninstall leaves nothing of agent and installation, and what the administrator wrote', async () => {
  const host = await installed()
  const theirs = [
    '/etc/nodewave/policy.yaml',
    '/etc/systemd/system/nodewave-agent.service.d/20-theirs.conf',
    '/opt/nodewave/notes/README',
  ]
  for (const path of theirs) host.files.set(path, 'theirs')
  await uninstall('/var/lib/nodewave', host)
  expect([...host.files.keys()].sort()).toEqual(theirs)
  expect([host.running, host.enabled, host.links.size]).toEqual([undefined, false, 0])
})

test('uninstall removes a folder that is half copied', async () => {
  const host = await installed()
  host.files.set('/opt/nodewave/.1.2.0.partial/node', '')
  await uninstall('/var/lib/nodewave', host)
  expect(host.files.size).toBe(0)
})

test('uninstall does nothing twice', async () => {
  const host = await installed()
  await uninstall('/var/lib/nodewave', host)
  await uninstall('/var/lib/nodewave', host)
  expect(host.files.size).toBe(0)
})

test('uninstall refuses after an undo that failed: what the host had is in the state directory alone', async () => {
  const host = await installed()
  host.files.set('/var/lib/nodewave/meta/unclean', '')
  host.files.set('/var/lib/nodewave/backups/1', 'theirs')
  await expect(uninstall('/var/lib/nodewave', host)).rejects.toThrow(
    'uninstall the agent: a change of this host could not be undone ("/var/lib/nodewave/meta/unclean" exists)',
  )
  expect(host.files.get('/var/lib/nodewave/backups/1')).toBe('theirs')
})

test.each(['meta/active', 'journal.jsonl'])('uninstall refuses while "%s" says that the host is not as it was', async (name) => {
  const host = await installed()
  host.files.set(`/var/lib/nodewave/${name}`, 'v1:0123')
  await expect(uninstall('/var/lib/nodewave', host)).rejects.toThrow(
    'remove the annotation nodewave.io/desired-config of the Node',
  )
  expect(host.running).toBe('1.1.0')
})

test('uninstall refuses when the agent began a change after the first look, and starts the agent again', async () => {
  const host = await installed()
  const { stop } = host.services
  host.services.stop = async () => {
    host.files.set('/var/lib/nodewave/journal.jsonl', '{}')
    await stop()
  }
  await expect(uninstall('/var/lib/nodewave', host)).rejects.toThrow('uninstall the agent: it still manages this host')
  expect(host.running).toBe('1.1.0')
  expect(host.files.has('/var/lib/nodewave/journal.jsonl')).toBe(true)
})

test('uninstall leaves a directory "current" that is no link of install', async () => {
  const host = await installed()
  host.links.delete('/opt/nodewave/current')
  host.files.set('/opt/nodewave/current/theirs', '')
  await uninstall('/var/lib/nodewave', host)
  expect([...host.files.keys()]).toEqual(['/opt/nodewave/current/theirs'])
})

test.each(['/opt/nodewave/1.1.0/nodewave-agent.service', '/etc/systemd/system/nodewave-agent.service'])(
  'uninstall ends an installation that lacks "%s"',
  async (path) => {
    const host = await installed()
    host.files.delete(path)
    await uninstall('/var/lib/nodewave', host)
    expect([host.files.size, host.links.size, host.running]).toEqual([0, 0, undefined])
  },
)
