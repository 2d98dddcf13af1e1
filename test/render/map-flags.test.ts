import { expect, test } from 'vitest'
import { explainNode } from '../../src/render/explain-node.ts'
import { aFleet, aNode, type Documents, refusals, rendered, WORKERS } from './fleets.ts'

const fleet = {
  'Fleet fleet': 'mapFlags: Merge',
  'NodePool workers': `${WORKERS}\nkubelet: {flagSets: [base, more], flags: {node-labels: {pool: workers}}}`,
  'FlagSet base': 'flags: {node-labels: {zone: a, team: x}, v: 2}',
  'FlagSet more': 'flags: {node-labels: {zone: b}}',
}

function flagsOf(documents: Documents): (string | undefined)[] {
  const { content } = rendered(aFleet({ ...fleet, ...documents }), aNode('n1'))
  return [content.flags, content.opts]
}

test('a map flag has the keys of every layer, and of the same key the last', () => {
  expect(flagsOf({})).toEqual(['--node-labels=pool=workers,team=x,zone=b --v=2', undefined])
})

test('a map flag is replaced as a whole unless the Fleet says Merge', () => {
  expect(flagsOf({ 'Fleet fleet': '{}' })).toEqual(['--node-labels=pool=workers --v=2', undefined])
  expect(flagsOf({ 'Fleet fleet': 'mapFlags: Replace' })).toEqual(['--node-labels=pool=workers --v=2', undefined])
})

test('a map flag loses a key that a later layer sets to null', () => {
  expect(flagsOf({ 'FlagSet more': 'flags: {node-labels: {team: null, unknown: null}}' })[0]).toBe(
    '--node-labels=pool=workers,zone=a --v=2',
  )
})

test('a map flag without any key left is not passed to the kubelet', () => {
  const documents = {
    'FlagSet base': 'flags: {feature-gates: {NodeSwap: true}}',
    'FlagSet more': 'flags: {feature-gates: {NodeSwap: null}}',
  }
  expect(flagsOf(documents)[0]).toBe('--node-labels=pool=workers')
  expect(flagsOf({ ...documents, 'FlagSet base': 'flags: {v: 2}' })[0]).toBe('--node-labels=pool=workers --v=2')
})

test('a map flag with keys of an override goes to its node as a whole, and the ConfigMap has none of it', () => {
  expect(flagsOf({ 'NodeOverride one': 'node: n1\nflags: {node-labels: {disk: ssd, team: null}}' })).toEqual([
    '--v=2',
    '--node-labels=disk=ssd,pool=workers,zone=b',
  ])
})

test('two overrides of one node may set different keys of a map flag, and not the same key differently', () => {
  const overrides = (second: string) => ({
    'NodeOverride one': 'node: n1\nflags: {node-labels: {disk: ssd}}',
    'NodeOverride two': `nodeSelector: {matchLabels: {role: worker}}\nflags: {node-labels: {${second}}}`,
  })
  expect(flagsOf(overrides('gpu: "1"'))[1]).toBe('--node-labels=disk=ssd,gpu=1,pool=workers,team=x,zone=b')
  expect(refusals(aFleet({ ...fleet, ...overrides('disk: hdd') }), aNode('n1'))).toEqual([
    'flag --node-labels key disk is set differently by NodeOverride "one" and NodeOverride "two", and neither goes before the other; set it in one of them only | NodeOverride-two.yaml:6:31 | NodeOverride-one.yaml:6:31',
  ])
})

test('a map flag that is written as text or as a list is merged, too', () => {
  expect(
    flagsOf({ 'FlagSet base': 'flags: {node-labels: "zone=a, team=x"}', 'FlagSet more': 'flags: {node-labels: ["zone=b"]}' })[0],
  ).toBe('--node-labels=pool=workers,team=x,zone=b')
  expect(
    flagsOf({
      'FlagSet base': 'flags: {eviction-hard: "memory.available<1Gi"}',
      'FlagSet more': 'flags: {eviction-hard: {nodefs.available: 5%}}',
    })[0],
  ).toBe('--eviction-hard=memory.available<1Gi,nodefs.available<5% --node-labels=pool=workers')
})

test('a text that no map can be read from is refused where it would have to be merged', () => {
  const documents = { 'FlagSet base': 'flags: {node-labels: "{{ node.labels.all }}"}' }
  expect(refusals(aFleet({ ...fleet, ...documents }), aNode('n1', { labels: { role: 'worker', all: 'x' } }))).toEqual([
    'flag --node-labels is in several layers, and this text cannot be read as a map, so it cannot be merged; write it as a map | FlagSet-base.yaml:5:24',
  ])
})

test('taints are merged by key and effect, and null removes one of them, or all of a key', () => {
  const taints = (more: string) =>
    flagsOf({
      'FlagSet base':
        'flags: {register-with-taints: ["dedicated=gpu:NoSchedule", "dedicated=gpu:NoExecute", "fresh:NoSchedule"]}',
      'FlagSet more': `flags: {register-with-taints: ${more}}`,
    })[0]?.split(' ')[1]
  expect(taints('{dedicated: "cpu:NoExecute"}')).toBe(
    '--register-with-taints=dedicated=cpu:NoExecute,dedicated=gpu:NoSchedule,fresh:NoSchedule',
  )
  expect(taints('{"dedicated:NoSchedule": null}')).toBe('--register-with-taints=dedicated=gpu:NoExecute,fresh:NoSchedule')
  expect(taints('{dedicated: null}')).toBe('--register-with-taints=fresh:NoSchedule')
})

test('content does not depend on the order in which a map is written, nor on the layer that each key is in', () => {
  const digest = (documents: Documents) => rendered(aFleet({ ...fleet, ...documents }), aNode('n1')).digest
  expect(
    digest({
      'FlagSet base': 'flags: {v: 2, node-labels: {team: x}}',
      'FlagSet more': 'flags: {node-labels: {zone: b, team: x}}',
    }),
  ).toBe(digest({}))
})

test('explainNode says which layer each key of a map flag comes from', () => {
  const model = aFleet({ ...fleet, 'NodeOverride one': 'node: n1\nflags: {node-labels: {team: null}}' })
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  const { values } = explainNode(model, { pool, node: aNode('n1') })
  expect(
    values.map(({ path, value, source, overrode }) => [
      path.join(' '),
      value,
      source,
      ...overrode.map((each) => `${each.value} ${each.source}`),
    ]),
  ).toEqual([
    ['flags node-labels pool', 'workers', 'NodePool workers'],
    ['flags node-labels team', null, 'NodeOverride one', 'x FlagSet base'],
    ['flags node-labels zone', 'b', 'FlagSet more', 'a FlagSet base'],
    ['flags v', 2, 'FlagSet base'],
  ])
})
