import { expect, test } from 'vitest'
import { checkModel } from '../../src/render/check-model.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { aFleet, aNode, refusals, rendered, WORKERS } from './fleets.ts'

test('a node that lacks a label is refused, and the others are rendered', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {flags: {node-labels: "zone={{ node.labels.zone }}"}, config: [dns]}`,
    'KubeletConfig dns': 'config: {clusterDomain: "{{ node.labels.zone }}.local"}',
  })
  expect(refusals(model, aNode('n1'))).toEqual([
    'node "n1" has nothing to put in place of {{ node.labels.zone }} | KubeletConfig-dns.yaml:5:27',
  ])
  const { content } = rendered(model, aNode('n2', { labels: { zone: 'a' } }))
  expect(content.opts).toBe('--node-labels=zone=a')
  expect(content.config).toContain('clusterDomain: a.local\n')
})

test('a template that was overridden asks nothing of the node', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {flagSets: [zone], flags: {node-labels: none}, config: [a, b]}`,
    'FlagSet zone': 'flags: {node-labels: "{{ node.labels.zone }}"}',
    'KubeletConfig a': 'config: {clusterDomain: "{{ node.labels.zone }}"}',
    'KubeletConfig b': 'config: {clusterDomain: x.local}',
  })
  expect(rendered(model, aNode('n1')).content.flags).toBe('--node-labels=none')
})

const broken = aFleet({
  'NodePool workers': `${WORKERS}\nkubelet: {flagSets: [bad], config: [base, anew]}`,
  'FlagSet bad': 'flags: {node-labels: ["a,b"], node-ip: "{{ node.ip }}", hostname-override: "{{ node.name"}',
  'KubeletConfig base': 'config: {evictionHard: null}',
  'KubeletConfig anew': 'config: {evictionHard: {memory.available: 1Gi}}',
  'NodeOverride odd': 'node: n9\nflags: {node-labels: ["c,d"]}',
})

const KNOWN = 'known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>'

test('every problem of a pool is told at once, with its place', () => {
  expect(refusals(broken, aNode('n1'))).toEqual([
    `flag --node-ip: "{{ node.ip }}" is unknown; ${KNOWN} | FlagSet-bad.yaml:5:42`,
    'flag --hostname-override: "{{ node.name" opens {{ and does not close it | FlagSet-bad.yaml:5:78',
    'flag --node-labels: "a,b" has a , in it, which the kubelet would take for the end of the item | FlagSet-bad.yaml:5:11',
    "field evictionHard is removed by one document and set again by another, which cannot be said in an overlay of the host's own file; remove its members one by one, or use configMode: full | KubeletConfig-anew.yaml:5:12 | KubeletConfig-base.yaml:5:26",
  ])
})

test('checkModel finds what no node can be rendered with, in pools and overrides, before there are nodes', () => {
  expect(checkModel(broken).map(({ message }) => message.slice(0, 40))).toEqual([
    'flag --node-ip: "{{ node.ip }}" is unkno',
    'flag --hostname-override: "{{ node.name"',
    'flag --node-labels: "a,b" has a , in it,',
    'field evictionHard is removed by one doc',
    'flag --node-labels: "c,d" has a , in it,',
  ])
})

test('checkModel finds nothing when only some nodes may lack something', () => {
  expect(checkModel(aFleet({ 'NodePool workers': `${WORKERS}\nkubelet: {flags: {node-ip: "{{ node.internalIP }}"}}` }))).toEqual(
    [],
  )
})

test('a host document beyond what a ConfigMap holds is refused', () => {
  const big = { 'a.txt': 'x'.repeat(500_000), 'b.txt': 'x'.repeat(500_000), 'c.txt': 'x'.repeat(500_000) }
  const files = Object.keys(big).map((from) => `{path: /etc/${from}, from: ${from}}`)
  const model = aFleet(
    { 'NodePool workers': `${WORKERS}\nhostProfiles: [big]`, 'HostProfile big': `files: [${files.join(', ')}]` },
    big,
  )
  expect(refusals(model, aNode('n1'))).toEqual([
    'the host document of pool "workers" has 1500300 bytes, and a ConfigMap holds 1040384; put smaller files onto hosts',
  ])
})

test('flags of single nodes beyond what an annotation carries are refused', () => {
  const model = aFleet({
    'NodePool workers': `${WORKERS}\nkubelet: {flags: {root-dir: "{{ node.name }}${'x'.repeat(33_000)}"}}`,
  })
  expect(createRenderer(model).render('workers', aNode('n1'))).toMatchObject({
    ok: false,
    problems: [
      {
        message:
          'flags of single nodes in pool "workers" come to 33013 characters, and an annotation carries 32768; move those without templates into a FlagSet',
      },
    ],
  })
})
