import { expect, test } from 'vitest'
import { aFolder, commitAll, FLEET, NODES, runCli, writeFiles } from './run-cli.ts'

const POOL = FLEET['pools/workers.yaml']
const SUDO = `${FLEET['fleet.yaml'].replace('Fleet', 'HostProfile').replace('fleet', 'sudo').replace('{}', '{files: [{path: /etc/sudoers.d/x, content: x}]}')}`
const OVERRIDE = `${FLEET['fleet.yaml'].replace('Fleet', 'NodeOverride').replace('fleet', 'one').replace('{}', '{node: w-1, files: [{path: /etc/sudoers.d/x, content: x}]}')}`
const ceilingOf = (rule: object) =>
  JSON.stringify({ apiVersion: 'nodewave.io/v1alpha1', kind: 'Ceiling', metadata: { name: 'fleet' }, spec: { rules: [rule] } })

async function validate(rule: object, { files = {}, args = [] }: { files?: object; args?: readonly string[] } = {}) {
  const folder = await aFolder({ ...FLEET, ...files, '.ceiling.json': ceilingOf(rule) })
  const { stdout, code } = await runCli(folder, ['validate', '--ceiling', '.ceiling.json', ...args])
  return { told: stdout.replaceAll(/\s+/g, ' '), code }
}

test.each([
  [
    'the first wave',
    { firstWave: { nodes: 3, soak: '20m' } },
    {},
    'the first wave of pool "workers" (pools/workers.yaml:12) has 1 nodes and a soak of 600s',
  ],
  [
    'maxUnavailable',
    { maxUnavailable: '20%' },
    { 'pools/workers.yaml': `${POOL.replace('  rollout:', '  rollout:\n    maxUnavailable: 50%')}` },
    'is 50%, 50 of 100 nodes; at most 20% is allowed',
  ],
  [
    'a path of a profile',
    { forbiddenPaths: ['/etc/sudoers.d'] },
    { 'sudo.yaml': SUDO, 'pools/workers.yaml': POOL.replace('  kubelet:', '  hostProfiles: [sudo]\n  kubelet:') },
    'pool "workers": path "/etc/sudoers.d/x" is forbidden',
  ],
  ['a path of an override', { forbiddenPaths: ['/etc/sudoers.d'] }, { 'one.yaml': OVERRIDE }, 'one.yaml'],
])('validate refuses a fleet that exceeds the Ceiling by %s', async (_, rule, files, message) => {
  const { told, code } = await validate(rule, { files })
  expect(told).toContain('by the Ceiling "fleet"')
  expect(told).toContain(message)
  expect(code).toBe(2)
})

test.each([
  ['that all pools keep', { maxUnavailable: 5, disruption: 'none' }],
  [
    'for the nodes that have its waves',
    { nodeSelector: { matchLabels: { role: 'worker' } }, firstWave: { nodes: 3, soak: '10m' } },
  ],
  ['for other nodes', { nodeSelector: { matchLabels: { role: 'storage' } }, firstWave: { nodes: 1, soak: '24h' } }],
])('validate accepts a fleet under a Ceiling %s', async (_, rule) => {
  expect((await validate(rule)).code).toBe(0)
})

test('with --nodes, validate judges a pool by the nodes that it has', async () => {
  const rule = { firstWave: { nodes: 3, soak: '24h' } }
  const nodesOf = (count: number) => ({
    '.nodes.json': JSON.stringify(Array.from({ length: count }, (_, n) => ({ name: `w-${n}`, labels: { role: 'worker' } }))),
  })
  const args = ['--nodes', '.nodes.json']
  expect((await validate(rule, { files: nodesOf(3), args })).code).toBe(0)
  expect((await validate(rule, { files: nodesOf(4), args })).code).toBe(2)
})

test.each([
  ['is not there', 'none.yaml', 'failed to read the Ceiling from'],
  ['is of another kind', 'fleet.yaml', 'expected one document of kind Ceiling, named "fleet"'],
])('validate refuses a file of a Ceiling that %s', async (_, file, message) => {
  const { stderr, code } = await runCli(await aFolder(FLEET), ['validate', '--ceiling', file])
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})

test('validate refuses a Ceiling with a field that nobody knows: it could allow anything', async () => {
  const folder = await aFolder({ ...FLEET, '.ceiling.json': ceilingOf({ maxUnavailble: 1 }) })
  const { stderr, code } = await runCli(folder, ['validate', '--ceiling', '.ceiling.json'])
  expect(stderr).toContain('spec.rules.0')
  expect(code).toBe(2)
})

test('plan with --nodes and --ceiling says what the Ceiling would refuse, without a cluster', async () => {
  const folder = await aFolder({ ...FLEET, '.nodes.json': NODES, '.ceiling.json': ceilingOf({ disruption: 'none' }) })
  await commitAll(folder)
  await writeFiles(folder, { 'base.yaml': FLEET['base.yaml'].replace('110', '250') })
  const { stdout, code } = await runCli(folder, [
    'plan',
    '--nodes',
    '.nodes.json',
    '--ceiling',
    '.ceiling.json',
    '--server-version',
    '1.36',
  ])
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('the change needs "restart", and at most "none" is allowed')
  expect(code).toBe(2)
})
