import { expect, test } from 'vitest'
import { loadFleet } from '../../../src/repo/load-fleet.ts'
import { rolloutSettings } from '../../../src/repo/rollout-settings.ts'
import { aDocument, aRepo, FLEET, modelOf, problemsOf } from '../fleets.ts'

function pool(rollout: string): Record<string, string> {
  return { 'p.yaml': aDocument('NodePool', 'workers', `spec:\n  nodeSelector: {matchLabels: {}}\n  rollout: {${rollout}}\n`) }
}

const waves = 'waves: [{name: canary, nodes: 1}, {name: late, nodes: 50%}]'

test.each([
  ['nodeConditions', '{name: a, nodeConditions: {forbid: [DiskPressure], require: [example.com/Fine]}}'],
  ['prometheus', '{name: a, prometheus: {url: "https://p.example.com/prom", query: "up", min: 1}}'],
  ['job', '{name: a, job: {cronJob: smoke}}'],
  ['workloads', '{name: a, workloads: {}}'],
  ['a wave that is put behind those stated', '{name: a, after: [canary, rest], workloads: {namespaces: [shop]}}'],
])('a gate with %s is fine', (_, gate) => {
  expect(problemsOf(pool(`${waves}, gates: [${gate}]`))).toEqual([])
})

test('a gate waits 10 minutes and is asked twice a minute unless it says otherwise', () => {
  const { pools } = modelOf(pool('gates: [{name: a, workloads: {}}, {name: b, timeout: 1h, interval: 5s, workloads: {}}]'))

  expect(pools.get('workers')?.spec.rollout?.gates).toEqual([
    { name: 'a', workloads: {} },
    { name: 'b', timeout: 3_600_000, interval: 5_000, workloads: {} },
  ])
})

test.each([
  ['states no kind', '{name: a}', 'states nothing; expected one of nodeConditions, prometheus, job, workloads'],
  ['states two kinds', '{name: a, job: {cronJob: smoke}, workloads: {}}', 'states job and workloads; expected one of'],
  ['has no bound', '{name: a, prometheus: {url: "http://p", query: up}}', 'without them every value passes'],
  ['names no condition', '{name: a, nodeConditions: {}}', 'without them every node passes'],
  ['is asked all the time', '{name: a, interval: 10ms, workloads: {}}', 'expected an interval of at least "1s"'],
  [
    'comes after a wave that there is not',
    '{name: a, after: [early], workloads: {}}',
    'names the wave "early" in after, and the pool has no such wave',
  ],
  [
    'has credentials in its URL',
    '{name: a, prometheus: {url: "http://me:secret@p", query: up, max: 1}}',
    'expected a URL without credentials',
  ],
  ['takes the name of another', '{name: a, workloads: {}}, {name: a, workloads: {}}', 'a second gate named "a"'],
])('a gate that %s is refused', (_, gates, message) => {
  const [problem = '', ...others] = problemsOf(pool(`${waves}, gates: [${gates}]`))

  expect(others).toEqual([])
  expect(problem).toContain('p.yaml:6:')
  expect(problem).toContain(message)
})

test('a gate of the Fleet must fit the waves of every pool', () => {
  const fleet = aDocument('Fleet', 'fleet', 'spec: {rollout: {gates: [{name: a, after: [canary], workloads: {}}]}}\n')

  expect(problemsOf({ 'fleet.yaml': fleet, ...pool('maxFailures: 1') }).join()).toContain(
    'gate "a" of the Fleet names the wave "canary" in after, and the pool has no such wave',
  )
  expect(problemsOf({ 'fleet.yaml': fleet, ...pool(waves) })).toEqual([])
})

test('two waves of one name are refused, also when nodewave adds the second', () => {
  expect(problemsOf(pool('waves: [{name: a, nodes: 1}, {name: a, nodes: 100%}]')).join()).toContain('a second wave named "a"')
  expect(problemsOf(pool('waves: [{name: rest, nodes: 10%}]')).join()).toContain(
    'so another wave "rest" follows; this one has the same name',
  )
  expect(problemsOf(pool('waves: [{name: canary, nodes: 1}, {name: rest, nodes: 100%}]'))).toEqual([])
})

test.each(['0', '"0%"'])('a maxUnavailable of %s is refused, of a pool as of the Fleet, with what to do instead', (none) => {
  const fleet = aDocument('Fleet', 'fleet', `spec: {maxUnavailable: ${none}}\n`)
  const [ofPool = '', ...others] = problemsOf(pool(`maxUnavailable: ${none}`))
  const [ofFleet = ''] = problemsOf({ 'fleet.yaml': fleet, ...pool('maxFailures: 1') })

  expect(others).toEqual([])
  expect(ofPool).toContain('with a maxUnavailable of 0 no node could ever be changed')
  expect(ofFleet).toContain('with a maxUnavailable of 0 no node could ever be changed')
})

test.each(['0', '0%'])('a wave of %s nodes is refused, at the value', (nodes) => {
  expect(problemsOf(pool(`waves: [{name: canary, nodes: ${nodes}}, {name: all, nodes: 100%}]`)).join('\n')).toMatch(
    /^p\.yaml:6:\d+ [\s\S]*expected a wave of at least 1 node; wave "canary" has 0\n {2}state at least 1, or remove the wave$/,
  )
})

test.each(['applyTimeout', 'agentTimeout'])('an %s of 0s is refused, of a pool as of the Fleet', (field) => {
  const fleet = aDocument('Fleet', 'fleet', `spec: {rollout: {${field}: 0s}}\n`)
  const message = `with an ${field} of 0s every node would fail at once`

  expect(problemsOf(pool(`${field}: 0s`)).join()).toContain(message)
  expect(problemsOf({ 'fleet.yaml': fleet, ...pool('maxFailures: 1') }).join()).toContain(message)
  expect(problemsOf(pool(`${field}: 1s`))).toEqual([])
})

test('a pool and the Fleet state the pod that proves a node, field by field', () => {
  const fleet = aDocument('Fleet', 'fleet', 'spec: {rollout: {proof: {pod: {image: "example.com/busybox:1", timeout: 30s}}}}\n')
  const files = { 'fleet.yaml': fleet, ...pool('proof: {pod: {command: [nslookup, kubernetes.default.svc]}}') }
  const { pools, fleet: model } = modelOf(files)

  expect(problemsOf(files)).toEqual([])
  expect(rolloutSettings(model.spec, pools.get('workers')?.spec ?? { nodeSelector: { matchLabels: {} } }).proof).toEqual({
    mode: 'Auto',
    image: 'example.com/busybox:1',
    command: ['nslookup', 'kubernetes.default.svc'],
    timeout: 30_000,
  })
})

test.each([
  ['has a command and no image', '{command: [nslookup, example.com]}', 'a command needs an image'],
  ['has no time', '{timeout: 1s}', 'expected a timeout of at least "5s"'],
  ['has no image that could be one', '{image: "not an image"}', 'expected an image such as'],
  ['mounts what no claim is called', '{claim: Shared/Data}', 'expected the name of a PersistentVolumeClaim'],
  ['has an unknown mode', '{mode: Sometimes}', 'mode'],
])('a pod that proves a node and %s is refused', (_, pod, message) => {
  expect(problemsOf(pool(`proof: {pod: ${pod}}`)).join()).toContain(message)
})

test('a commit that an earlier version accepted is read although a new one that states the same is refused', () => {
  const files = pool('applyTimeout: 0s, waves: [{name: canary, nodes: 0}, {name: all, nodes: 100%}]')
  const found = loadFleet(aRepo({ 'fleet.yaml': FLEET, ...files }), { accepted: true })

  expect(problemsOf(files)).toHaveLength(2)
  expect(found.problems).toEqual([])
  expect(found.model?.pools.get('workers')?.spec.rollout).toMatchObject({ applyTimeout: 0 })
})
