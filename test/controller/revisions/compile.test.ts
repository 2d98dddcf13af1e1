import { expect, test } from 'vitest'
import { createCompiler } from '../../../src/controller/revisions/compile.ts'
import { aFleet } from '../a-fleet.ts'
import { aSnapshot } from '../a-snapshot.ts'

const compile = createCompiler({ namespace: 'nodewave-system' })

test('a commit from which no node of a pool can be rendered is as invalid as one that cannot be read', () => {
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: others}
spec: {nodeSelector: {matchLabels: {role: other}}, kubelet: {flags: {node-ip: "{{ node.ip }}"}}}
`
  const { problems, pools } = compile(aSnapshot('a', aFleet({ more })))
  expect(problems).toEqual([
    'fleet.yaml:20:79: flag --node-ip: "{{ node.ip }}" is unknown; known: node.name, node.arch, node.osImage, node.internalIP, node.cpu, node.memory and node.labels.<key>',
  ])
  expect(pools.size).toBe(0)
})

test('a commit that is valid has its pools and no problems', () => {
  const { problems, pools } = compile(aSnapshot('a', aFleet()))
  expect(problems).toEqual([])
  expect([...pools.keys()]).toEqual(['workers'])
})

test('a pool names the place of its budget and its waves: its own, that of the Fleet, or none', () => {
  const places = (files: Readonly<Record<string, string>>) => compile(aSnapshot('a', files)).pools.get('workers')?.places

  expect(places(aFleet({ rollout: 'maxUnavailable: 2' }))).toEqual({ maxUnavailable: 'fleet.yaml:15', waves: 'by default' })
  expect(places(aFleet({ rollout: '', fleet: 'rollout: {waves: [{name: all, nodes: 100%}]}' }))).toEqual({
    maxUnavailable: 'by default',
    waves: 'fleet.yaml:5',
  })
})

const FACTS = { name: 'n0', labels: { role: 'worker' }, arch: 'amd64', osImage: '', cpu: 4 }

test('a pool says that it reads the capacity of nodes when it does', () => {
  const poolOf = (flags: string) => {
    const texts = Object.entries(aFleet()).map(([path, text]) => [path, text.replace('{v: 2}', flags)])
    return compile(aSnapshot('a', Object.fromEntries(texts))).pools.get('workers')
  }

  expect(poolOf('{max-pods: "{{ node.cpu * 10 }}"}')?.readsCapacity).toBe(true)
  expect(poolOf('{max-pods: 40}')).not.toHaveProperty('readsCapacity')
})

test('a rendered node has the version of its kubelet when the pool states one', () => {
  const renderedBy = (files: Readonly<Record<string, string>>) =>
    compile(aSnapshot('a', files)).pools.get('workers')?.render(FACTS)

  expect(renderedBy(aFleet({ version: '1.36.3' }))).toMatchObject({ kind: 'config', version: '1.36.3' })
  expect(renderedBy(aFleet())).not.toHaveProperty('version')
})

test('the policy of a fleet has what its Fleet states, and nothing else', () => {
  const policyOf = (fleet: string) => compile(aSnapshot('a', aFleet({ fleet }))).policy

  expect(policyOf('byHand: Deny')).toStrictEqual({})
  expect(policyOf('maxUnavailable: 2')).toStrictEqual({ maxUnavailable: { count: 2 } })
  expect(policyOf('maxFailures: 10%')).toStrictEqual({ maxFailures: { percent: 10 } })
})

test('a commit is kept without the files that are nothing to the fleet, and means the same without them', () => {
  const more = `---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: h}
spec: {files: [{path: /etc/motd, from: .files/motd}]}
`
  const all = { ...aFleet({ more }), 'picture.png': 'x'.repeat(1000), '.github/ci.yaml': 'on: push', '.files/motd': 'welcome' }
  const whole = compile(aSnapshot('a', all))
  expect(whole.problems).toEqual([])
  expect([...whole.files.keys()]).toEqual(['fleet.yaml', '.files/motd'])
  const again = compile({ ...aSnapshot('a'), files: whole.files })
  expect(again.pools.get('workers')?.fingerprint).toBe(whole.pools.get('workers')?.fingerprint)
})

const cluster = (name: string, level: number): string => `apiVersion: nodewave.io/v1alpha1
kind: Cluster
metadata: {name: ${name}}
spec: {patches: [{target: {kind: NodePool, name: workers}, merge: {kubelet: {flags: {v: ${level}}}}}]}
`
const compileStaging = createCompiler({ namespace: 'nodewave-system', cluster: 'staging' })
const clusters = (levels: Readonly<Record<string, number>>, more: Readonly<Record<string, string>> = {}) => {
  const files = Object.entries(levels).map(([name, level]) => [`clusters/${name}.yaml`, cluster(name, level)])
  return compileStaging(aSnapshot('a', { ...aFleet(), ...Object.fromEntries(files), ...more }))
}

test('a commit that changes another cluster has the fingerprints of the one before', () => {
  const fingerprint = (levels: Readonly<Record<string, number>>) => clusters(levels).pools.get('workers')?.fingerprint
  expect(fingerprint({ staging: 2, production: 2 })).toBe(fingerprint({ staging: 2, production: 9 }))
  expect(fingerprint({ staging: 2, production: 2 })).not.toBe(fingerprint({ staging: 3, production: 2 }))
})

test('a commit of several clusters is kept with what one of them needs, and means the same', () => {
  const paths = cluster('staging', 2).replace('{patches', '{paths: [fleet.yaml], patches')
  const whole = clusters({ production: 2 }, { 'clusters/staging.yaml': paths, 'production/x.yaml': 'kind: [' })
  expect(whole.problems).toEqual([])
  expect([...whole.files.keys()].sort()).toEqual(['clusters/staging.yaml', 'fleet.yaml'])
  const again = compileStaging({ ...aSnapshot('a'), files: whole.files })
  expect(again.pools.get('workers')?.fingerprint).toBe(whole.pools.get('workers')?.fingerprint)
})

test('a new commit without the Cluster is refused, and one that was accepted before there were any is read', () => {
  const { problems } = compileStaging(aSnapshot('a', aFleet()))
  expect(problems[0]).toContain('no Cluster is named "staging"')
  const { pools } = compileStaging({ ...aSnapshot('a', aFleet()), accepted: true })
  expect([...pools.keys()]).toEqual(['workers'])
})
