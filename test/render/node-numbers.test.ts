import { expect, test } from 'vitest'
import { checkModel } from '../../src/render/check-model.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { explainNode } from '../../src/render/explain-node.ts'
import { planFleet } from '../../src/render/plan-fleet.ts'
import { problemsOf } from '../repo/fleets.ts'
import { aFleet, aNode, type Documents, refusals, rendered, WORKERS } from './fleets.ts'

const Gi = 2 ** 30
const POOL = { 'NodePool workers': `${WORKERS}\nkubelet: {flagSets: [base], config: [base]}`, 'FlagSet base': 'flags: {v: 2}' }
const fleet = (fields: string, more: Documents = {}) => aFleet({ ...POOL, 'KubeletConfig base': `config: {${fields}}`, ...more })
const small = aNode('small', { cpu: 2, memory: 4 * Gi })
const large = aNode('large', { cpu: 64, memory: 256 * Gi })

test('a number of the configuration is calculated from the capacity of the node', () => {
  const model = fleet(
    'maxPods: "{{ min(110, floor(node.cpu * 15)) }}", kubeReserved: {memory: "{{ floor(node.memory / 1Mi / 20) }}Mi"}',
  )
  expect(rendered(model, small).content.config).toContain('kubeReserved:\n  memory: "204Mi"\nmaxPods: 30\n')
  expect(rendered(model, large).content.config).toContain('kubeReserved:\n  memory: "13107Mi"\nmaxPods: 110\n')
})

test('a number of a label, of a flag and of a file is calculated, too', () => {
  const model = fleet('maxPods: "{{ node.labels["pods"] + 1 }}"'.replaceAll('"pods"', '\\"pods\\"'), {
    'FlagSet base': 'flags: {v: 2, max-open-files: "{{ node.cpu * 100000 }}"}',
    'NodePool workers': `${POOL['NodePool workers']}\nhostProfiles: [p]`,
    'HostProfile p': 'files: [{path: /etc/cpus, content: "cpus={{ node.cpu }} half={{ node.cpu / 4 }}", template: true}]',
  })
  const { content } = rendered(model, { ...small, labels: { role: 'worker', pods: '29' } })
  expect(content.config).toContain('maxPods: 30\n')
  expect(content.opts).toBe('--max-open-files=200000')
  expect(content.host).toContain('cpus=2 half=0.5')
})

test('nodes whose numbers come out the same share their content, whatever their machines are', () => {
  const model = fleet('maxPods: "{{ min(110, node.cpu * 15) }}"')
  const [a, b] = [32, 64].map((cpu) => rendered(model, aNode('n', { cpu })))
  expect(a?.digest).toBe(b?.digest)
  expect(a?.desired.KUBELET_CONFIG).toBe(b?.desired.KUBELET_CONFIG)
})

test.each<[string, string, Partial<Parameters<typeof aNode>[1]>, string]>([
  [
    'no capacity',
    '{{ node.cpu }}',
    {},
    'node "n1" has no number for {{ node.cpu }}: the node does not report its capacity of cpu',
  ],
  [
    'a label that is no number',
    '{{ node.labels[\\"x\\"] + 1 }}',
    { labels: { x: 'many' } },
    'its label "x" is "many", and not a number',
  ],
  ['no such label', '{{ node.labels[\\"x\\"] + 1 }}', {}, 'it has no label "x"'],
  ['a division by zero', '{{ 1 / (node.cpu - 2) }}', { cpu: 2 }, 'it divides by zero, or the result is too large'],
  ['a number beyond all', `{{ node.cpu ${'* 1Ti '.repeat(30)} }}`, { cpu: 2 }, 'it divides by zero, or the result is too large'],
  [
    'a value that the kubelet does not take',
    '{{ node.cpu - 10 }}',
    { cpu: 2 },
    'on this node, the value becomes -8: expected "maxPods" to be a whole number from 0 to 2147483647',
  ],
  [
    'a fraction',
    '{{ node.cpu / 4 }}',
    { cpu: 2 },
    'on this node, the value becomes 0.5: expected "maxPods" to be a whole number',
  ],
])('a node with %s is named and gets nothing, and others get theirs', (_, text, facts, message) => {
  const model = fleet(`maxPods: "${text}"`)
  const found = refusals(model, aNode('n1', facts))
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(message)
  expect(found[0]).toMatch(/KubeletConfig-base\.yaml:5:\d+$/)
})

test('a combination that the kubelet refuses is refused for the node on which it comes up', () => {
  const model = fleet('imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: "{{ node.cpu * 10 }}"')
  expect(createRenderer(model).render('workers', aNode('n1', { cpu: 7 })).ok).toBe(true)
  expect(refusals(model, aNode('n1', { cpu: 8 }))[0]).toContain(
    'on this node, imageGCLowThresholdPercent must be below imageGCHighThresholdPercent',
  )
})

test('a flag that the kubelet does not take is refused for its node', () => {
  const model = fleet('maxPods: 110', { 'FlagSet base': 'flags: {max-pods: "{{ node.cpu - 10 }}"}' })
  expect(refusals(model, small)[0]).toContain('on this node, the value becomes "-8": expected flag --max-pods to be')
})

test.each<[string, string]>([
  ['{{ flor(node.cpu) }}', '"{{ flor(node.cpu) }}" is no expression: "flor" is unknown; did you mean "floor"?'],
  ['{{ node.cpus }}', '"{{ node.cpus }}" is unknown; known: node.name,'],
  ['{{ node.cpu + }}', 'it ends too early'],
])('%s in a text is refused for every node, with its place', (text, message) => {
  expect(
    checkModel(fleet(`nodeStatusUpdateFrequency: "${text}s"`))
      .map((problem) => problem.message)
      .join(),
  ).toContain(message)
})

test('validate refuses an expression that can never be the number that a field takes', () => {
  const told = (value: string) =>
    problemsOf({
      'c.yaml': `apiVersion: nodewave.io/v1alpha1\nkind: KubeletConfig\nmetadata: {name: c}\nspec: {config: {maxPods: "${value}"}}\n`,
    })
  expect(told('{{ node.cpu * 10 }}')).toEqual([])
  expect(told('{{ node.cpu * 10 }}0')[0]).toContain('expected "maxPods" to be a whole number')
  expect(told('{{ node.name }}')[0]).toContain('expected "maxPods" to be a whole number')
})

const TABLE = `config: {maxPods: 110}
byCapacity:
  kubeReserved:
    memory: [{upTo: 4Gi, share: 25%}, {upTo: 8Gi, share: 20%}, {upTo: 16Gi, share: 10%}, {upTo: 128Gi, share: 6%}, {share: 2%}]
    cpu: [{upTo: 1, share: 6%}, {upTo: 2, share: 1%}, {upTo: 4, share: 0.5%}, {share: 0.25%}]`

// Google's table for GKE: 25% of the first 4 GiB, 20% of the next 4, 10% of the next 8, 6% of the next 112, 2% above.
test.each<[number, number, string, string]>([
  [1, 2, '60m', '512Mi'],
  [2, 4, '70m', '1024Mi'],
  [4, 16, '80m', '2662Mi'],
  [16, 64, '110m', '5611Mi'],
  [96, 360, '310m', '14295Mi'],
])('the percentages that GKE documents reserve, on %d CPUs and %d GiB, %s and %s', (cpu, memory, cpus, bytes) => {
  const { content } = rendered(aFleet({ ...POOL, 'KubeletConfig base': TABLE }), aNode('n', { cpu, memory: memory * Gi }))
  expect(content.config).toContain(`kubeReserved:\n  cpu: "${cpus}"\n  memory: "${bytes}"\n`)
})

test('explainNode shows the number of a table with the line of its brackets, and what it overrode', () => {
  const documents = { ...POOL, 'KubeletConfig base': TABLE.replace('{maxPods: 110}', '{kubeReserved: {memory: 1Gi}}') }
  const model = aFleet(documents)
  const pool = model.pools.get('workers')
  if (pool === undefined) throw new Error('the fleet of this test has the pool')
  const { values } = explainNode(model, { pool, node: small })
  const found = values.find(({ path }) => path.join('.') === 'config.kubeReserved.memory')
  expect([found?.value, found?.where.line, found?.overrode.map(({ value }) => value)]).toEqual(['1024Mi', 8, ['1Gi']])
})

test('planFleet shows what a table changes on machines of each size, and names nodes without capacity', () => {
  const from = fleet('maxPods: 110')
  const to = aFleet({ ...POOL, 'KubeletConfig base': TABLE })
  const { pools } = planFleet({ from, to, nodes: [small, large, aNode('bare')] })
  expect(pools[0]?.groups.map(({ nodes, changes }) => [nodes[0], ...changes.map(({ to: after }) => after)])).toEqual([
    ['small', '70m', '1024Mi'],
    ['large', '230m', '12165Mi'],
  ])
  expect(pools[0]?.problems.map(({ node }) => node)).toEqual(['bare', 'bare'])
})
