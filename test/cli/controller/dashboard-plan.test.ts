import { expect, test } from 'vitest'
import { dashboardPlan } from '../../../src/cli/controller/dashboard-plan.ts'
import type { PlannedGroup, PoolPlan } from '../../../src/controller/plans/pool-plan.ts'

const CHANGE = { path: ['config', 'maxPods'], from: 110, to: 200 }

function aGroup(more: Partial<PlannedGroup> = {}): PlannedGroup {
  return { nodes: ['n0'], disruption: 'drain', reasons: ['config.maxPods: why (drain)'], changes: [CHANGE], ...more }
}

function aPlan(more: Partial<PoolPlan> = {}): PoolPlan {
  return {
    commit: { revision: 'a'.repeat(40), subject: 'more pods', author: 'Ada' },
    ...{ total: 40, changing: 12, left: 0, uncompared: 0, problems: [], waves: [], groups: [aGroup()] },
    ...more,
  }
}

test('a plan is told in the words of nodewave plan', () => {
  const waves = [
    { name: 'canary', soak: 600_000, manual: false, gates: ['slo'], nodes: 1 },
    { name: 'rest', soak: 0, manual: true, gates: [], nodes: 11 },
  ]

  expect(dashboardPlan(aPlan({ because: 'it waits', waves }), 'opens Tue')).toEqual({
    commit: { revision: 'aaaaaaaaaaaa', subject: 'more pods', author: 'Ada' },
    ...{ because: 'it waits', window: 'opens Tue', summary: '12 of 40 nodes change, each node is drained' },
    waves: [
      { name: 'canary', nodes: 1, conditions: 'soak 10m, then gate slo' },
      { name: 'rest', nodes: 11, conditions: 'after promotion' },
    ],
    groups: [
      {
        title: 'n0: each node is drained',
        reasons: ['config.maxPods: why (drain)'],
        changes: [['config.maxPods', '110', '200']],
      },
    ],
    remarks: [],
  })
})

test('what stands in files of hosts is not shown', () => {
  const changes = [
    { path: ['host', 'files', '/etc/a', 'content'], from: 'old password', to: 'new password' },
    { path: ['host', 'units', 'a.service', 'dropIns', 'mode.conf'], from: undefined, to: 'password' },
    { path: ['host', 'files', '/etc/a', 'mode'], from: '0644', to: '0600' },
  ]
  const [group] = dashboardPlan(aPlan({ groups: [aGroup({ changes })] })).groups

  expect(group?.changes.map(([path]) => path)).toEqual([
    'host.files./etc/a.content',
    'host.units.a.service.dropIns.mode.conf',
    'host.files./etc/a.mode',
  ])
  expect(JSON.stringify(group)).not.toContain('password')
  expect(group?.changes[2]).toEqual(['host.files./etc/a.mode', '0644', '0600'])
})

test('addresses, which may have a password in them, and headers of requests are not shown', () => {
  const url = (user: string) => `https://${user}:password@mirror.example.com/kubelet`
  const changes = [
    { path: ['host', 'kubelet', 'binary', 'amd64', 'url'], from: url('a'), to: url('b') },
    { path: ['host', 'kubelet', 'binary', 'amd64', 'sha256'], from: 'aa', to: 'bb' },
    { path: ['config', 'staticPodURLHeader', 'Authorization'], from: undefined, to: ['Bearer password'] },
    { path: ['config', 'staticPodURL'], from: undefined, to: url('a') },
    { path: ['flags', 'manifest-url'], from: undefined, to: url('a') },
    { path: ['flags', 'manifest-url-header'], from: undefined, to: 'Authorization:Bearer password' },
    { path: ['flags', 'storage-driver-password'], from: 'root', to: 'password' },
  ]
  const [group] = dashboardPlan(aPlan({ groups: [aGroup({ changes })] })).groups

  expect(JSON.stringify(group)).not.toContain('password@')
  expect(group?.changes).toEqual([
    ['host.kubelet.binary.amd64.url', '', 'other content'],
    ['host.kubelet.binary.amd64.sha256', 'aa', 'bb'],
    ['config.staticPodURLHeader.Authorization', '', 'other content'],
    ['config.staticPodURL', '', 'other content'],
    ['flags.manifest-url', '', 'other content'],
    ['flags.manifest-url-header', '', 'other content'],
    ['flags.storage-driver-password', '', 'other content'],
  ])
})

test('of a long plan the beginning is shown, and how much more there is', () => {
  const groups = Array.from({ length: 12 }, () => aGroup({ changes: Array.from({ length: 50 }, () => CHANGE) }))
  const problems = Array.from({ length: 7 }, (_, index) => ({ node: `n${index}`, message: 'why' }))
  const view = dashboardPlan(aPlan({ groups, problems, uncompared: 5, left: 1 }))

  expect(view.groups.map(({ changes }) => changes.length)).toEqual(Array.from({ length: 10 }, () => 41))
  expect(view.groups[0]?.changes.at(-1)).toEqual(['and 10 more', '', ''])
  expect(view.remarks).toEqual([
    '1 node would change, and is held or being deleted',
    '7 nodes more change in other ways',
    ...[0, 1, 2, 3, 4].map((index) => `"n${index}" cannot be rendered: why`),
    'and 2 more that cannot be rendered',
  ])
})
