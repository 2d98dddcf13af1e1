import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256Of } from '../../src/agent/sha256.ts'
import type { NodeContent } from '../../src/protocol/digest.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import { Machine } from '../agent/support/machine.ts'
import { aRepo } from '../repo/fleets.ts'
import { pageFiles } from './page-files.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/host-profile.md'), 'utf8')
const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'
const WITHOUT = {
  'fleet.yaml': `${HEAD} Fleet\nmetadata: {name: fleet}\nspec: {}\n`,
  'pools/workers.yaml': `${HEAD} NodePool
metadata: {name: workers}
spec:
  nodeSelector: {matchLabels: {role: worker}}
`,
}
const NAMED = '  hostProfiles: [registry-credentials]\n  kubelet: {flagSets: [registry-credentials]}\n'
const NODE = { name: 'worker-1', labels: { role: 'worker' }, arch: 'amd64', osImage: '' }

const PROGRAM = '/opt/credential-providers/ecr-credential-provider'
const CONFIG = '/etc/kubernetes/credential-providers.yaml'

/** The page's files, with the checksum of a program that can be downloaded. */
function withProvider(machine: Machine, program: string) {
  const bytes = Buffer.from(program)
  machine.artifacts.set('https://mirror.example.com/ecr-credential-provider-v1.36.0-linux-amd64', bytes)
  const files: Readonly<Record<string, string>> = {
    ...WITHOUT,
    ...pageFiles(PAGE),
    'pools/workers.yaml': `${WITHOUT['pools/workers.yaml']}${NAMED}`,
  }
  const profile = files['hosts/registry-credentials.yaml'] ?? ''
  return { ...files, 'hosts/registry-credentials.yaml': profile.replace(/0{64}/, sha256Of(bytes)) }
}

function contentOf(files: Readonly<Record<string, string>>): NodeContent {
  const { model } = loadFleet(aRepo(files))
  const result = model && createRenderer(model).render('workers', NODE)
  if (!result?.ok) throw new Error(`the fleet is invalid: ${JSON.stringify(result?.problems)}`)
  return result.content
}

test('the credential provider of the page is brought with its configuration and flags by one restart, and goes by one', async () => {
  const machine = new Machine()
  const before = machine.hostFiles()
  machine.start()
  const first = (await machine.host.services.show('kubelet.service')).mainPid
  const content = contentOf(withProvider(machine, 'provider 1'))
  machine.assign(content, { GRANT: 'none' })
  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  await machine.untilDigest(machine.assign(content, { GRANT: 'restart' }), 'Applied')

  expect(machine.host.files.text(PROGRAM)).toBe('provider 1')
  expect((await machine.host.files.stat(PROGRAM))?.mode).toBe(0o755)
  expect(machine.host.files.text(CONFIG)).toContain('name: ecr-credential-provider')
  const flags = machine.host.files.text('/etc/default/kubelet')
  expect(flags).toContain(`--image-credential-provider-config=${CONFIG}`)
  expect(flags).toContain('--image-credential-provider-bin-dir=/opt/credential-providers')
  const second = (await machine.host.services.show('kubelet.service')).mainPid
  expect(second).not.toBe(first)

  await machine.untilDigest(machine.assign(contentOf(WITHOUT), { GRANT: 'restart' }), 'Applied')
  expect(machine.hostFiles()).toEqual(before)
})

test('another program of the credential provider restarts the kubelet', async () => {
  const machine = new Machine()
  machine.start()
  await machine.untilDigest(machine.assign(contentOf(withProvider(machine, 'provider 1'))), 'Applied')
  const { mainPid } = await machine.host.services.show('kubelet.service')
  const next = contentOf(withProvider(machine, 'provider 2'))
  machine.assign(next, { GRANT: 'none' })
  expect(await machine.until('Blocked')).toMatchObject({ needs: 'restart' })
  await machine.untilDigest(machine.assign(next, { GRANT: 'restart' }), 'Applied')

  expect(machine.host.files.text(PROGRAM)).toBe('provider 2')
  expect((await machine.host.services.show('kubelet.service')).mainPid).not.toBe(mainPid)
})

test('a kubelet that does not start with its credential provider is brought back as it was', async () => {
  const machine = new Machine()
  machine.start()
  const before = machine.hostFiles()
  machine.host.injectCrash(({ args }) =>
    args.some((arg) => arg.startsWith('--image-credential-provider'))
      ? 'failed to register credential provider plugins'
      : undefined,
  )
  machine.assign(contentOf(withProvider(machine, 'provider 1')), { GRANT: 'restart' })

  expect((await machine.until('RolledBack')).error?.reason).toBe('HealthCheckFailed')
  expect(machine.hostFiles()).toEqual(before)
})
