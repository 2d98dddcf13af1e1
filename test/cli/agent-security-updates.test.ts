import { expect, test } from 'vitest'
import { profileText } from '../../src/cli/agent-security-updates.ts'
import { createLoader } from '../../src/repo/load-fleet.ts'

const HEAD = `# Security updates, as the package manager of worker-1 offers them.
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: security-updates}
spec:
`

const aFile = (text: string) => ({ kind: 'file' as const, bytes: Buffer.from(text) })
const offered = (name: string, to: string, from?: string) => ({ name, architecture: 'amd64', to, ...(from && { from }) })

test('list has what is offered, by name, with what is installed', () => {
  const updates = [offered('openssl', '3.0.17-1', '3.0.11-1'), offered('libssl3', '1:3.0.17-1')]
  expect(profileText('worker-1', { pinned: [], offered: updates })).toBe(`${HEAD}  packages:
    - {name: libssl3, version: "1:3.0.17-1", ifInstalled: true}
    - {name: openssl, version: "3.0.17-1", ifInstalled: true} # 3.0.11-1 is installed
`)
})

test('list keeps what an earlier one pinned, in the version that is offered now, and leaves other packages of the repository out', () => {
  const pinned = [
    { name: 'bash', version: '5.2-3', ifInstalled: true as const },
    { name: 'openssl', version: '3.0.11-2', ifInstalled: true as const },
    { name: 'kubelet', version: '1.36.3-1.1' },
    { name: 'snapd', state: 'absent' as const },
  ]
  const updates = [offered('openssl', '3.0.17-1', '3.0.11-2'), offered('kubelet', '1.36.4-1.1', '1.36.3-1.1')]
  expect(profileText('worker-1', { pinned, offered: updates })).toBe(`${HEAD}  packages:
    - {name: bash, version: "5.2-3", ifInstalled: true}
    - {name: openssl, version: "3.0.17-1", ifInstalled: true} # 3.0.11-2 is installed
`)
})

test('list that is empty is a document, too', () => {
  expect(profileText('worker-1', { pinned: [], offered: [] })).toBe(`${HEAD}  packages: []\n`)
})

test('list can be loaded as it is', () => {
  const text = profileText('worker-1', { pinned: [], offered: [offered('libc6', '2.36-9+deb12u13')] })
  const fleet = 'apiVersion: nodewave.io/v1alpha1\nkind: Fleet\nmetadata: {name: fleet}\nspec: {}\n'
  const files = new Map([
    ['fleet.yaml', aFile(fleet)],
    ['hosts/security.yaml', aFile(text)],
  ])
  const { model, problems } = createLoader()(files)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(model?.hostProfiles.get('security-updates')?.spec.packages).toEqual([
    { name: 'libc6', version: '2.36-9+deb12u13', ifInstalled: true },
  ])
})
