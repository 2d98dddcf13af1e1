import { expect, test } from 'vitest'
import { parseDesiredConfig } from '../../src/protocol/desired-config.ts'
import { aFleet } from './a-fleet.ts'
import type { Outcome } from './fake-agents.ts'
import { Replicas } from './replicas.ts'
import { aNode, NODES, POOLS, readyOf } from './stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

const files = (more: string) =>
  Object.fromEntries(
    Object.entries(
      aFleet({
        rollout: 'maxUnavailable: 1, applyTimeout: 5m, waves: [{name: canary, nodes: 1, soak: 5m}, {name: rest, nodes: 100%}]',
      }),
    ).map(([path, text]) => [path, text.replace('{v: 2}', `{max-pods: "{{ node.cpu * 10 }}"${more}}`)]),
  )

async function resize(replicas: Replicas, capacity: object): Promise<void> {
  for (const { metadata } of await replicas.list(NODES))
    await replicas.kube.patch(`${NODES}/${metadata.name}/status`, { status: { capacity } })
}

async function assignedOpts(replicas: Replicas): Promise<(string | undefined)[]> {
  return (await replicas.list(NODES)).map(({ metadata: { annotations = {} } }) => {
    const desired = annotations['nodewave.io/desired-config']
    return desired && parseDesiredConfig(desired).KUBELET_OPTS
  })
}

/** Six nodes of 4 CPUs that have completed the first commit. */
async function sixNodes(outcome: (opts: string | undefined) => Outcome = () => 'applies'): Promise<Replicas> {
  const replicas = await Replicas.create({ nodes: 6 })
  await resize(replicas, { cpu: '4', memory: '16Gi' })
  await replicas.start('first')
  replicas.startAgents({ takes: 20 * SECOND, outcome: (_, { KUBELET_OPTS }) => outcome(KUBELET_OPTS) })
  replicas.push('a', files(''))
  await replicas.clock.advance(20 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--max-pods=40'))
  return replicas
}

test('machines that are resized keep their numbers, also when another controller takes over', async () => {
  await using replicas = await sixNodes()
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  await replicas.clock.advance(20 * MINUTE)
  await replicas.start('second')
  await replicas.clock.advance(20 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--max-pods=40'))
  expect(readyOf((await replicas.list(POOLS))[0])).toBe('True Completed')
})

test('machines that were resized get their new numbers with the next commit, in its waves', async () => {
  await using replicas = await sixNodes()
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  replicas.push('b', files(', v: 3'))
  await replicas.clock.advance(4 * MINUTE)
  expect((await assignedOpts(replicas)).filter((opts) => opts === '--max-pods=80')).toHaveLength(1)
  await replicas.clock.advance(20 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--max-pods=80'))
})

test('a new number that fails on the canary reaches no other machine', async () => {
  await using replicas = await sixNodes((opts) => (opts?.includes('=80') ? 'rolls back' : 'applies'))
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  replicas.push('b', files(', v: 3'))
  await replicas.clock.advance(20 * MINUTE)
  const reached = (await replicas.list(NODES)).filter(({ metadata }) =>
    ['desired-config', 'history'].some((key) => metadata.annotations?.[`nodewave.io/${key}`]?.includes('bbbbbbbbbbbb')),
  )
  expect(reached).toHaveLength(1)
})

test.each([
  ['numbers by the machine', (max: string) => `max-pods: "{{ node.cpu * 10 }}", v: ${max}`],
  ['fixed numbers', (max: string) => `max-pods: ${max}`],
])('a rollback to numbers by the machine from %s gives the machine what it had, also when it was resized', async (_, flags) => {
  const fails = (opts: string | undefined) => opts?.includes('=80') || opts === undefined
  await using replicas = await sixNodes((opts) => (fails(opts) ? 'rolls back' : 'applies'))
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  const changed = Object.entries(files('')).map(([path, text]) => [path, text.replace(/max-pods: "[^"]*"/, flags('80'))])
  replicas.push('b', Object.fromEntries(changed))
  await replicas.clock.advance(40 * MINUTE)
  const [pool] = await replicas.list(POOLS)
  expect(readyOf(pool)).toBe('False RolledBack')
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--max-pods=40'))
  expect((pool?.status as { readonly nodes?: object } | undefined)?.nodes).toMatchObject({ byPhase: { Current: 6 } })
})

test('a machine that reports no capacity any more, or a forged one, keeps what it has', async () => {
  await using replicas = await sixNodes()
  await replicas.kube.patch(`${NODES}/n0/status`, { status: { capacity: { cpu: 'many' } } })
  await replicas.kube.patch(`${NODES}/n1/status`, { status: { capacity: { cpu: '4000' } } })
  await replicas.clock.advance(5 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(Array(6).fill('--max-pods=40'))
})

test('a machine whose note of its capacity is removed gets its numbers from its present capacity', async () => {
  await using replicas = await sixNodes()
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  await replicas.kube.patch(`${NODES}/n0`, { metadata: { annotations: { 'nodewave.io/rendered-from': null } } })
  await replicas.clock.advance(5 * MINUTE)
  expect(await assignedOpts(replicas)).toEqual(['--max-pods=80', ...Array(5).fill('--max-pods=40')])
})

test('a new machine gets its numbers from its own capacity', async () => {
  await using replicas = await sixNodes()
  const now = replicas.clock.now()
  const made = aNode('n6', now) as { readonly metadata: object; readonly status: object }
  await replicas.kube.create(NODES, { ...made, status: { ...made.status, capacity: { cpu: '2', memory: '4Gi' } } })
  await replicas.clock.advance(5 * MINUTE)
  expect((await assignedOpts(replicas))[6]).toBe('--max-pods=20')
})

test('machines keep their numbers also where they stand in a file that an override names', async () => {
  const all = files('')
  const override = `
---
apiVersion: nodewave.io/v1alpha1
kind: NodeOverride
metadata: {name: tuned}
spec: {nodeSelector: {matchLabels: {role: worker}}, files: [{path: /etc/tuned.conf, template: true, from: tuned.conf}]}
`
  const withFile = { 'fleet.yaml': `${all['fleet.yaml']?.replace('max-pods: "{{ node.cpu * 10 }}"', 'v: 2')}${override}` }
  await using replicas = await Replicas.create({ nodes: 6 })
  await resize(replicas, { cpu: '4', memory: '16Gi' })
  await replicas.start('first')
  replicas.startAgents({ takes: 20 * SECOND, outcome: () => 'applies' })
  replicas.push('a', { ...withFile, 'tuned.conf': 'workers={{ node.cpu }}\n' })
  await replicas.clock.advance(20 * MINUTE)
  const digests = async () =>
    (await replicas.list(NODES)).map(({ metadata }) => metadata.annotations?.['nodewave.io/desired-config'])
  const before = await digests()
  expect(before[0]).toBeDefined()
  await resize(replicas, { cpu: '8', memory: '16Gi' })
  await replicas.clock.advance(20 * MINUTE)
  expect(await digests()).toEqual(before)
})
