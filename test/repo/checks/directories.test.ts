import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const problemsWith = (directory: object) =>
  problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {directories: [${JSON.stringify(directory)}]}\n`) })

test.each([
  [{ path: '/var/lib', mode: '0777' }, 'others than root exchange what the host runs'],
  [{ path: '/etc', mode: '0775' }, 'others than root exchange what the host runs'],
  [{ path: '/etc/nodewave', mode: '1777' }, 'others than root exchange what the host runs'],
  [{ path: '/var', owner: 'alice' }, '"alice" could exchange what the host runs'],
  [{ path: '/etc', mode: '0700' }, 'lock out every program that does not run as root'],
  [{ path: '/tmp', mode: '0755' }, 'lock out the users of it'],
])('validate refuses the directory %j, by which hosts would be lost', (directory, because) => {
  expect(problemsWith(directory)).toEqual([expect.stringContaining(because)])
})

test.each([
  { path: '/etc' },
  { path: '/etc', mode: '0755', owner: 'root' },
  { path: '/etc/kubernetes', mode: '0700', owner: '0' },
  { path: '/var/lib/node-cache', mode: '0777', owner: 'cache' },
  { path: '/var/lib/kubelet', mode: '0750' },
  { path: '/srv', mode: '2775', group: 'ops' },
  { path: '/tmp', mode: '1777' },
])('validate accepts the directory %j', (directory) => {
  expect(problemsWith(directory)).toEqual([])
})
