import { expect, test } from 'vitest'
import { planFleet } from '../../src/render/plan-fleet.ts'
import { aFleet, aNode, WORKERS } from './fleets.ts'

const workers = (flags: string) => ({ 'NodePool workers': `${WORKERS}\nkubelet: {flags: ${flags}}` })
const three = ['a', 'b', 'c'].map((name) => aNode(name))

test('planFleet has nothing to do when nothing changes for the nodes', () => {
  const plan = planFleet({
    from: aFleet(workers('{v: 2}')),
    to: aFleet({ 'NodePool workers': `# spoken of\n${workers('{v: 2}')['NodePool workers']}` }),
    nodes: three,
  })
  expect(plan.pools).toEqual([
    { pool: 'workers', nodes: ['a', 'b', 'c'], touched: [], cgroupFailures: [], disruption: 'none', groups: [], problems: [] },
  ])
})

test('planFleet tells once what changes alike, though each node has its own digest', () => {
  const plan = planFleet({
    from: aFleet(workers('{v: 2, node-labels: "name={{ node.name }}"}')),
    to: aFleet({ ...workers('{v: 4, node-labels: "name={{ node.name }}"}'), 'NodeOverride b': 'node: b\nflags: {v: 9}' }),
    nodes: three,
  })
  const reasons = ['flags.v: the kubelet reads it when it starts (restart)']
  expect(plan.pools[0]?.groups).toEqual([
    { nodes: ['a', 'c'], changes: [{ path: ['flags', 'v'], from: '2', to: '4' }], disruption: 'restart', reasons },
    { nodes: ['b'], changes: [{ path: ['flags', 'v'], from: '2', to: '9' }], disruption: 'restart', reasons },
  ])
})

test('planFleet knows nodes that come under a pool, leave all pools, or are claimed twice', () => {
  const gpu = { 'NodePool gpu': 'nodeSelector: {matchLabels: {gpu: "true"}}' }
  const nodes = [
    aNode('a'),
    aNode('b', { labels: { role: 'worker', gpu: 'true' } }),
    aNode('c', { labels: { role: 'old' } }),
    { ...aNode('d', { labels: { gpu: 'true' } }), kubeletVersion: 'v1.36.3' },
  ]
  const plan = planFleet({
    from: aFleet({ ...workers('{v: 2}'), 'NodePool old': 'nodeSelector: {matchLabels: {role: old}}' }),
    to: aFleet({ ...workers('{v: 2}'), ...gpu }),
    nodes,
  })
  expect(plan).toMatchObject({
    addedPools: ['gpu'],
    removedPools: ['old'],
    contested: [{ message: 'node "b" is claimed by the pools "gpu" and "workers"; make their nodeSelectors exclude each other' }],
    released: ['c'],
    pools: [
      {
        pool: 'gpu',
        nodes: ['d'],
        touched: ['d'],
        disruption: 'restart',
        groups: [{ reasons: ['node: it is configured for the first time (restart)'] }],
      },
      { pool: 'workers', nodes: ['a'], touched: [] },
    ],
  })
})

test('planFleet leaves a node that moves between pools untouched when it is to become the same', () => {
  const from = aFleet(workers('{v: 2}'))
  const to = aFleet({ 'NodePool renamed': `${WORKERS}\nkubelet: {flags: {v: 2}}` })
  expect(planFleet({ from, to, nodes: three }).pools).toMatchObject([{ pool: 'renamed', nodes: ['a', 'b', 'c'], touched: [] }])
})

test('planFleet names the nodes that cannot be rendered', () => {
  const to = aFleet(workers('{v: 3, node-labels: "zone={{ node.labels.zone }}"}'))
  const nodes = [aNode('a'), aNode('b', { labels: { role: 'worker', zone: 'z' } })]
  expect(planFleet({ from: aFleet(workers('{v: 2}')), to, nodes }).pools).toMatchObject([
    {
      touched: ['b'],
      problems: [{ node: 'a', problem: { message: 'node "a" has nothing to put in place of {{ node.labels.zone }}' } }],
    },
  ])
})
