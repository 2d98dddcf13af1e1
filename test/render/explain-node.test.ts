import { expect, test } from 'vitest'
import { explainNode } from '../../src/render/explain-node.ts'
import { aFleet, aNode, WORKERS } from './fleets.ts'

const model = aFleet({
  'NodePool workers': `${WORKERS}
kubelet: {version: "1.36.3", layout: env, flagSets: [baseline], flags: {v: 4}, config: [base, more]}
hostProfiles: [motd]`,
  'FlagSet baseline': 'flags: {v: 2, node-labels: "name={{ node.name }}"}',
  'KubeletConfig base': 'config: {maxPods: 110, evictionHard: {memory.available: 1Gi}, authentication: {}}',
  'KubeletConfig more': 'config: {evictionHard: null, authentication: {anonymous: {enabled: false}}}',
  'HostProfile motd': 'files: [{path: /etc/motd, content: all}]\nsysctls: {vm.swappiness: 10}',
  'NodeOverride one':
    'node: n1\nflags: {v: 9}\nconfig: {maxPods: 5}\nfiles: [{path: /etc/motd, content: mine}]\nsysctls: {vm.swappiness: 1}',
})

test('explainNode says of every value which line it comes from and what it took the place of', () => {
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  const { values, ...rest } = explainNode(model, { pool, node: aNode('n1') })
  expect(rest).toEqual({
    node: 'n1',
    pool: 'workers',
    precedence: [
      'KubeletConfig base',
      'KubeletConfig more',
      'FlagSet baseline',
      'HostProfile motd',
      'NodePool workers',
      'NodeOverride one',
    ],
  })
  const shown = ({ value, source, where }: (typeof values)[number]['overrode'][number]) =>
    `${JSON.stringify(value)} ${source} ${where.line}:${where.column}`
  expect(values.map((value) => [value.path.join(' '), ...[value, ...value.overrode].map(shown)])).toEqual([
    ['version', '"1.36.3" NodePool workers 6:22'],
    ['flags node-labels', '"name=n1" FlagSet baseline 5:30'],
    ['flags v', '9 NodeOverride one 6:14', '4 NodePool workers 6:78', '2 FlagSet baseline 5:14'],
    ['config authentication anonymous enabled', 'false KubeletConfig more 5:70'],
    ['config evictionHard', 'null KubeletConfig more 5:26', '"1Gi" KubeletConfig base 5:59'],
    ['config maxPods', '5 NodeOverride one 7:21', '110 KubeletConfig base 5:21'],
    [
      'files /etc/motd',
      '{"path":"/etc/motd","content":"mine"} NodeOverride one 8:11',
      '{"path":"/etc/motd","content":"all"} HostProfile motd 5:11',
    ],
    ['sysctls vm.swappiness', '"1" NodeOverride one 9:28', '"10" HostProfile motd 6:28'],
  ])
})

test('explainNode shows blocks and lines by their file, and packages such as those of a list of security updates', () => {
  const edited = aFleet({
    'NodePool workers': `${WORKERS}\nhostProfiles: [hosts, security-updates]`,
    'HostProfile hosts':
      'edits: [{path: /etc/hosts, blocks: [{name: registry, content: "10.0.0.1 registry\\n"}], lines: ["10.0.0.9 ntp"]}]',
    'HostProfile security-updates': 'packages: [{name: libssl3, version: "3.0.17-1~deb12u3", ifInstalled: true}]',
    'NodeOverride one': 'node: n1\nedits: [{path: /etc/hosts, blocks: [{name: registry, content: "10.0.0.2 registry\\n"}]}]',
  })
  const pool = edited.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  const { values } = explainNode(edited, { pool, node: aNode('n1') })
  expect(
    values.map(({ path, value, source, overrode }) => [path.join(' '), value, source, ...overrode.map((each) => each.source)]),
  ).toEqual([
    ['edits /etc/hosts.10.0.0.9 ntp', '10.0.0.9 ntp', 'HostProfile hosts'],
    ['edits /etc/hosts.registry', '10.0.0.2 registry\n', 'NodeOverride one', 'HostProfile hosts'],
    ['packages libssl3', { name: 'libssl3', version: '3.0.17-1~deb12u3', ifInstalled: true }, 'HostProfile security-updates'],
  ])
})
