import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CEILINGS_PATH } from '../../src/controller/cache/ceiling-schema.ts'
import { ceilingCrd } from '../../src/controller/crds/ceiling-crd.ts'
import { createKubeClient } from '../../src/kube/kube-client.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { aFolder, commitAll, FLEET, type Outcome, runCli, writeFiles } from './run-cli.ts'

const POOL = FLEET['pools/workers.yaml']
const PROFILE = `${FLEET['fleet.yaml'].replace('Fleet', 'HostProfile').replace('fleet', 'sudo').replace('{}', '{files: [{path: /etc/sudoers.d/x, content: x}]}')}`

/** @param spec of the Ceiling; undefined: the cluster does not have the kind */
async function plan(spec: object | undefined, files: Readonly<Record<string, string>>): Promise<Outcome> {
  const server = await startApiServer()
  onTestFinished(() => server.close())
  const kube = createKubeClient({ server: server.url, credentials: async () => ({}) })
  const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], nodeInfo: { kubeletVersion: 'v1.35.4' } }
  for (const name of ['w-0', 'w-1', 'w-2'])
    await kube.create('/api/v1/nodes', { metadata: { name, labels: { role: 'worker' } }, status })
  if (spec !== undefined) {
    await kube.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ceilingCrd())
    await kube.create(CEILINGS_PATH, {
      ...{ apiVersion: 'nodewave.io/v1alpha1', kind: 'Ceiling' },
      ...{ metadata: { name: 'fleet' }, spec },
    })
  }
  const folder = await aFolder(FLEET)
  await commitAll(folder)
  await writeFiles(folder, { kubeconfig: server.kubeconfig(), ...files })
  return runCli(folder, ['plan', '--kubeconfig', join(folder, 'kubeconfig')])
}

const LOOSENED = { 'pools/workers.yaml': POOL.replace('soak: 10m', 'soak: 1m') }
const BOTH = { ...LOOSENED, 'base.yaml': FLEET['base.yaml'].replace('110', '250') }

test('plan says that a commit needs promotion that loosens rollout policy together with content, where a Ceiling exists', async () => {
  const both = await plan({}, BOTH)

  expect([both.stdout.replaceAll(/\s+/g, ' '), both.code]).toEqual([
    expect.stringContaining(
      'needs promotion: it changes 2 nodes and loosens the rollout policy: rollout.waves[0].soak of pool "workers" (pools/workers.yaml:12): 600s → 60s; push one of the two first',
    ),
    1,
  ])
  expect((await plan({}, LOOSENED)).stdout).not.toContain('needs promotion')
  expect((await plan(undefined, BOTH)).stdout).not.toContain('needs promotion')
})

test('plan says that a commit exceeds the blast radius of the Ceiling', async () => {
  const { stdout } = await plan({ blastRadius: { maxNodes: 1 } }, { 'base.yaml': BOTH['base.yaml'] })

  expect(stdout).toContain('needs promotion: it changes 2 of 3 nodes, and blastRadius.maxNodes is 1')
})

test.each([
  [
    'the policy',
    { firstWave: { nodes: 1, soak: '5m' } },
    LOOSENED,
    'the first wave of pool "workers" (pools/workers.yaml:12) has 1 nodes and a soak of 60s',
  ],
  [
    'a path',
    { forbiddenPaths: ['/etc/sudoers.d'] },
    { 'sudo.yaml': PROFILE, 'pools/workers.yaml': POOL.replace('  kubelet:', '  hostProfiles: [sudo]\n  kubelet:') },
    'node "w-0": path "/etc/sudoers.d/x" is forbidden',
  ],
  [
    'the disruption',
    { disruption: 'none' },
    { 'base.yaml': BOTH['base.yaml'] },
    'node "w-0": the change needs "restart", and at most "none" is allowed',
  ],
])('plan refuses what the Ceiling forbids, as %s does, and ends with 2', async (_, rule, files, message) => {
  const { stdout, code } = await plan({ rules: [rule] }, files as Record<string, string>)

  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`refused by the Ceiling "fleet": ${message}`)
  expect(code).toBe(2)
})

test('plan says nothing of a Ceiling that a pool exceeded before, when the change is not about it', async () => {
  const { code, stdout } = await plan({ rules: [{ disruption: 'none' }, { firstWave: { nodes: 1, soak: '1h' } }] }, {})

  expect([code, stdout.includes('Ceiling')]).toEqual([0, false])
})
