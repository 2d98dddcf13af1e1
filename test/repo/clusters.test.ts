import { expect, test } from 'vitest'
import type { RepoFile } from '../../src/protocol/repo-snapshot.ts'
import { clustersOf, createLoader, loadFleet } from '../../src/repo/load-fleet.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import { formatLocation, formatProblem } from '../../src/repo/problem.ts'
import { aDocument, aRepo, FLEET, textFile } from './fleets.ts'

type Files = Readonly<Record<string, string | RepoFile>>

const WORKERS = `spec:
  nodeSelector: {matchLabels: {role: worker}}
  kubelet:
    version: "1.36.3"
    release: upstream
    flagSets: [base]
    config: [base]
`
const SUMS = ['1.36.3', '1.36.4'].map((version) => `"${version}": {amd64: ${'a'.repeat(64)}}`).join(', ')
const SHARED = {
  'fleet.yaml': FLEET,
  'shared/workers.yaml': aDocument('NodePool', 'workers', WORKERS),
  'shared/flags.yaml': aDocument('FlagSet', 'base', 'spec: {flags: {v: 2}}\n'),
  'shared/releases.yaml': aDocument(
    'KubeletRelease',
    'upstream',
    `spec: {binary: {url: "https://x.example/{{version}}/{{arch}}", sha256: {${SUMS}}}}\n`,
  ),
  'shared/config.yaml': aDocument(
    'KubeletConfig',
    'base',
    'spec: {config: {maxPods: 110, evictionHard: {memory.available: 1Gi}}}\n',
  ),
}

function cluster(name: string, spec: string): Files {
  return { [`clusters/${name}.yaml`]: aDocument('Cluster', name, spec) }
}

function problems(files: Files, name: string | undefined = 'staging'): string[] {
  return loadFleet(aRepo({ ...SHARED, ...files }), name === undefined ? {} : { cluster: name }).problems.map(formatProblem)
}

function model(files: Files, name = 'staging'): FleetModel {
  const result = loadFleet(aRepo({ ...SHARED, ...files }), { cluster: name })
  expect(result.problems.map(formatProblem)).toEqual([])
  return result.model as FleetModel
}

test('clustersOf lists the clusters of a repository by name', () => {
  const files = { ...SHARED, ...cluster('staging', 'spec: {}\n'), ...cluster('production', 'spec: {}\n') }
  expect(clustersOf(aRepo(files))).toEqual(['production', 'staging'])
  expect(clustersOf(aRepo(SHARED))).toEqual([])
})

test('a repository of several clusters is refused when none is named', () => {
  const files = { ...SHARED, ...cluster('staging', 'spec: {}\n'), ...cluster('production', 'spec: {}\n') }
  expect(loadFleet(aRepo(files)).problems.map(formatProblem)).toEqual([
    `clusters/production.yaml:4:1  spec: {}
                              ^^^^
  the repository is for several clusters, and none is named: production, staging
  name one with --cluster`,
  ])
})

test('a cluster that the repository does not have is refused', () => {
  expect(problems(cluster('staging', 'spec: {}\n'), 'stagin')[0]).toContain(
    'no Cluster is named "stagin"\n  did you mean "staging"?',
  )
  expect(problems({}, 'staging')).toEqual([
    `clusters/staging.yaml:1:1
  no Cluster is named "staging"
  write clusters/staging.yaml, or leave out --cluster`,
  ])
})

test('a commit from before there were Clusters is read as a whole where it was accepted', () => {
  const { model: found } = loadFleet(aRepo(SHARED), { cluster: 'staging', accepted: true })
  expect(found?.pools.get('workers')?.spec.kubelet?.version).toBe('1.36.3')
  expect(found?.cluster).toBeUndefined()
})

test('a cluster uses the documents below its paths, and no others', () => {
  const files = {
    ...cluster('staging', 'spec: {paths: [fleet.yaml, shared, staging]}\n'),
    ...cluster('production', 'spec: {paths: [fleet.yaml, shared, production]}\n'),
    'staging/gpu.yaml': aDocument('NodePool', 'gpu', 'spec: {nodeSelector: {matchLabels: {gpu: small}}}\n'),
    'production/gpu.yaml': aDocument('NodePool', 'gpu', 'spec: {nodeSelector: {matchLabels: {gpu: large}}}\n'),
    'production/broken.yaml': 'kind: [',
  }
  const found = model(files)
  expect(found.pools.get('gpu')?.spec.nodeSelector).toEqual({ matchLabels: { gpu: 'small' } })
  expect([...found.sources]).toEqual([
    'clusters/staging.yaml',
    'fleet.yaml',
    'shared/config.yaml',
    'shared/flags.yaml',
    'shared/releases.yaml',
    'shared/workers.yaml',
    'staging/gpu.yaml',
  ])
  expect(problems(files, 'production')[0]).toContain('production/broken.yaml:1:')
})

test('a folder is no beginning of a name', () => {
  const files = {
    ...cluster('staging', 'spec: {paths: [fleet.yaml, shared]}\n'),
    'shared-2/gpu.yaml': aDocument('NodePool', 'gpu', 'spec: {nodeSelector: {matchLabels: {gpu: a}}}\n'),
  }
  expect([...model(files).pools.keys()]).toEqual(['workers'])
})

test('a path without documents is refused', () => {
  expect(problems(cluster('staging', 'spec: {paths: [fleet.yaml, shared, stagin]}\n'))).toEqual([
    `clusters/staging.yaml:4:36  spec: {paths: [fleet.yaml, shared, stagin]}
                                                               ^^^^^^
  there are no YAML files at "stagin"`,
  ])
})

test('another Cluster that is invalid keeps nothing from this one', () => {
  const files = { ...cluster('staging', 'spec: {}\n'), ...cluster('production', 'spec: {path: [x]}\n') }
  expect([...model(files).pools.keys()]).toEqual(['workers'])
  expect(problems(files, 'production')[0]).toContain('unknown field "path"')
})

test('a merge patch changes a document for its cluster alone', () => {
  const patch =
    'spec: {patches: [{target: {kind: NodePool, name: workers}, merge: {kubelet: {version: "1.36.4", config: null}}}]}\n'
  const files = { ...cluster('staging', patch), ...cluster('production', 'spec: {}\n') }
  expect(model(files).pools.get('workers')?.spec.kubelet).toEqual({ version: '1.36.4', release: 'upstream', flagSets: ['base'] })
  expect(model(files, 'production').pools.get('workers')?.spec.kubelet?.version).toBe('1.36.3')
})

test('a patch without a name is for every document of the kind', () => {
  const files = {
    ...cluster('staging', 'spec: {patches: [{target: {kind: NodePool}, merge: {rollout: {maxUnavailable: 3}}}]}\n'),
    'shared/gpu.yaml': aDocument('NodePool', 'gpu', 'spec: {nodeSelector: {matchLabels: {gpu: a}}}\n'),
  }
  expect([...model(files).pools.values()].map(({ spec }) => spec.rollout?.maxUnavailable)).toEqual([{ count: 3 }, { count: 3 }])
})

const OPERATIONS = `spec:
  patches:
    - target: {kind: NodePool, name: workers}
      json6902:
        - {op: test, path: /kubelet/version, value: "1.36.3"}
        - {op: replace, path: /kubelet/version, value: "1.36.4"}
        - {op: add, path: /kubelet/flagSets/0, value: extra}
        - {op: add, path: /kubelet/flagSets/-, value: extra}
        - {op: remove, path: /kubelet/flagSets/1}
        - {op: copy, from: /kubelet/config, path: /kubelet/flagSets}
        - {op: move, from: /kubelet/config/0, path: /kubelet/config/-}
    - target: {kind: FlagSet, name: base}
      json6902:
        - {op: add, path: /flags/cert-dir, value: /x/y}
        - {op: add, path: /flags/node-labels, value: {example.com/a: c}}
        - {op: replace, path: /flags/node-labels/example.com~1a, value: d}
`

test('a JSON patch does its operations in order', () => {
  const found = model(cluster('staging', OPERATIONS))
  expect(found.pools.get('workers')?.spec.kubelet).toEqual({
    version: '1.36.4',
    release: 'upstream',
    flagSets: ['base'],
    config: ['base'],
  })
  expect(found.flagSets.get('base')?.spec.flags).toEqual({ v: 2, 'cert-dir': '/x/y', 'node-labels': { 'example.com/a': 'd' } })
})

test.each([
  ['remove', '{op: remove, path: /kubelet/flags}', 'cannot remove in NodePool "workers": there is nothing at "/kubelet/flags"'],
  ['replace', '{op: replace, path: /kubelet/config/1, value: x}', 'there is nothing at "/kubelet/config/1"'],
  ['add', '{op: add, path: /kubelet/config/7, value: x}', 'there is nothing at "/kubelet/config/7"'],
  ['test', '{op: test, path: /kubelet/version, value: "1.36.2"}', '"/kubelet/version" is "1.36.3"'],
  ['move', '{op: move, from: /kubelet, path: /kubelet/x}', '"/kubelet" cannot be moved into itself'],
])('a JSON patch whose %s cannot be done is refused at its place', (_, operation, expected) => {
  const [problem, ...others] = problems(
    cluster('staging', `spec: {patches: [{target: {kind: NodePool, name: workers}, json6902: [\n  ${operation}]}]}\n`),
  )
  expect(problem).toContain(expected)
  expect(problem).toMatch(/^clusters\/staging\.yaml:5:/)
  expect(others).toEqual([])
})

test('a patch of a document that the cluster does not use is refused', () => {
  expect(problems(cluster('staging', 'spec: {patches: [{target: {kind: NodePool, name: worker}, merge: {}}]}\n'))).toEqual([
    `clusters/staging.yaml:4:50  …: {kind: NodePool, name: worker}, merge: {}}]}
                                                      ^^^^^^
  the cluster uses no NodePool named "worker"
  correct the target, or add the file of the document to paths`,
  ])
})

test('what a patch makes wrong is told at the patch', () => {
  const patch = 'spec: {patches: [{target: {kind: NodePool, name: workers}, merge: {\n  kubelet: {versoin: "1.36.4"}}}]}\n'
  expect(problems(cluster('staging', patch))).toEqual([
    `clusters/staging.yaml:5:13  kubelet: {versoin: "1.36.4"}}}]}
                                      ^^^^^^^
  unknown field "versoin"
  did you mean "version"?`,
  ])
})

test('a value knows the patch that it comes from', () => {
  const patch = 'spec: {patches: [{target: {kind: NodePool, name: workers}, merge: {\n  kubelet: {version: "1.36.4"}}}]}\n'
  const source = model(cluster('staging', patch)).pools.get('workers')?.source
  expect(formatLocation(source?.where(['kubelet', 'version']) as never)).toBe('clusters/staging.yaml:5:22')
  expect(formatLocation(source?.where(['kubelet', 'config', 0]) as never)).toBe('shared/workers.yaml:10:14')
})

const PLAIN = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
metadata: {name: plain}
maxPods: 110
`

test('a configuration as the kubelet reads it is patched as spec.config', () => {
  const files = {
    'shared/plain.yaml': PLAIN,
    ...cluster(
      'staging',
      'spec: {patches: [{target: {kind: KubeletConfig, name: plain}, merge: {config: {maxPods: 50, podPidsLimit: 9}}}]}\n',
    ),
  }
  expect(model(files).kubeletConfigs.get('plain')?.spec.config).toEqual({ maxPods: 50, podPidsLimit: 9 })
})

const VARIABLES = 'spec: {variables: {pods: 50, region: eu, kubelet: "1.36.4"}}\n'

test('a text that is one variable becomes its value, with its type', () => {
  const files = {
    ...cluster('staging', VARIABLES),
    'shared/config.yaml': aDocument('KubeletConfig', 'base', 'spec: {config: {maxPods: "{{ cluster.pods }}"}}\n'),
    'shared/workers.yaml': aDocument('NodePool', 'workers', WORKERS.replace('1.36.3', '{{cluster.kubelet}}')),
    'shared/flags.yaml': aDocument(
      'FlagSet',
      'base',
      'spec: {flags: {node-labels: {at: "{{ cluster.region }}-{{ cluster.name }}", on: "{{ node.name }}"}}}\n',
    ),
  }
  const found = model(files)
  expect(found.kubeletConfigs.get('base')?.spec.config).toEqual({ maxPods: 50 })
  expect(found.pools.get('workers')?.spec.kubelet?.version).toBe('1.36.4')
  expect(found.flagSets.get('base')?.spec.flags).toEqual({ 'node-labels': { at: 'eu-staging', on: '{{ node.name }}' } })
})

test('a variable that the cluster does not have is refused where it stands, and nothing else of the document', () => {
  const files = {
    ...cluster('staging', VARIABLES),
    'shared/workers.yaml': aDocument('NodePool', 'workers', WORKERS.replace('1.36.3', '{{ cluster.kublet }}')),
  }
  expect(problems(files)).toEqual([
    `shared/workers.yaml:7:14  version: "{{ cluster.kublet }}"
                                   ^^^^^^^^^^^^^^^^^^^^^^
  the cluster has no variable "kublet"
  did you mean "kubelet"?`,
  ])
})

test('a value that does not fit is told at the variable', () => {
  const files = {
    ...cluster('staging', 'spec: {variables: {kubelet: 1.36}}\n'),
    'shared/workers.yaml': aDocument('NodePool', 'workers', WORKERS.replace('1.36.3', '{{ cluster.kubelet }}')),
  }
  expect(problems(files)[0]).toContain('clusters/staging.yaml:4:29')
})

test('variables count in what patches write', () => {
  const patch =
    'spec: {variables: {pods: 9}, patches: [{target: {kind: KubeletConfig}, merge: {config: {maxPods: "{{ cluster.pods }}"}}}]}\n'
  expect(model(cluster('staging', patch)).kubeletConfigs.get('base')?.spec.config.maxPods).toBe(9)
})

test('a loader that remembers files gives each version of a Cluster what it says', () => {
  const load = createLoader()
  const podsWith = (pods: number, name = 'staging') => {
    const files = aRepo({
      ...Object.fromEntries(Object.entries(SHARED).map(([path, text]) => [path, textFile(text, `blob of ${path}`)])),
      'shared/config.yaml': textFile(
        aDocument('KubeletConfig', 'base', 'spec: {config: {maxPods: "{{ cluster.pods }}"}}\n'),
        'blob of config',
      ),
      ...Object.fromEntries(
        ['staging', 'production'].map((each) => [
          `clusters/${each}.yaml`,
          textFile(aDocument('Cluster', each, `spec: {variables: {pods: ${pods}}}\n`), `Cluster ${pods}`),
        ]),
      ),
    })
    return load(files, { cluster: name }).model?.kubeletConfigs.get('base')?.spec.config.maxPods
  }
  expect([podsWith(10), podsWith(20), podsWith(10), podsWith(30, 'production')]).toEqual([10, 20, 10, 30])
})

const waiting = (dependsOn: string) => ({
  'shared/workers.yaml': aDocument('NodePool', 'workers', `${WORKERS}  dependsOn: [${dependsOn}]\n`),
})

test('a pool may wait for a pool of another cluster', () => {
  const files = { ...cluster('staging', 'spec: {}\n'), ...cluster('production', 'spec: {}\n') }
  const dependsOn = model({ ...files, ...waiting('{cluster: staging, pool: workers}') }, 'production').pools.get('workers')?.spec
    .dependsOn
  expect(dependsOn).toEqual([{ cluster: 'staging', pool: 'workers' }])
})

test('a pool that waits for its own cluster is refused', () => {
  const [problem] = problems({ ...cluster('staging', 'spec: {}\n'), ...waiting('{cluster: staging, pool: gpu}') })
  expect(problem).toContain('"staging" is the cluster of pool "workers" itself\n  write  - gpu')
})

test('a pool that waits for a cluster that the repository does not have is warned of', () => {
  const [problem] = problems({ ...cluster('staging', 'spec: {}\n'), ...waiting('{cluster: productoin, pool: gpu}') })
  expect(problem).toContain('warning: no Cluster is named "productoin"')
})

test('a pool that waits for a cluster in a repository for one is refused', () => {
  const files = aRepo({ ...SHARED, ...waiting('{cluster: staging, pool: workers}') })
  expect(loadFleet(files).problems.map(({ message }) => message)).toEqual([
    'pool "workers" waits for cluster "staging", and the repository is for one cluster',
  ])
})

test('operations that double a document again and again end at 1,000 values', () => {
  const copies = Array.from({ length: 100 }, (_, n) => `{op: copy, from: /config, path: /config/a${n}}`)
  const spec = `spec: {patches: [{target: {kind: KubeletConfig, name: base}, json6902: [${copies.join(', ')}]}]}\n`
  expect(problems(cluster('staging', spec)).join('\n')).toContain(
    'cannot copy in KubeletConfig "base": operations copy more than 1000 values within the document',
  )
})

test('operations that nest a document ever deeper end at the depth of a file', () => {
  const nested = Array.from({ length: 33 }, (_, n) => `{op: add, path: /config${'/a/a'.repeat(n)}/a, value: {a: {}}}`)
  const spec = `spec: {patches: [{target: {kind: KubeletConfig, name: base}, json6902: [${nested.join(', ')}]}]}\n`
  expect(problems(cluster('staging', spec)).join('\n')).toContain('the document becomes nested deeper than 64')
})

test('a patch that is for every document ends at the size of a repository', () => {
  const many = Array.from({ length: 200 }, (_, n) => aDocument('FlagSet', `f${n}`, 'spec: {flags: {v: 2}}\n')).join('---\n')
  const flags = `{node-labels: "${'x'.repeat(400_000)}"}`
  const spec = `spec: {patches: [{target: {kind: FlagSet}, merge: {flags: ${flags}}}]}\n`
  const files = { 'shared/many.yaml': many, ...cluster('staging', spec) }
  expect(problems(files).join('\n')).toContain('patches write more than 67108864 bytes into the documents of the cluster')
})

test('a long variable that is mentioned many times ends at the size of a file', () => {
  const files = {
    'shared/flags.yaml': aDocument(
      'FlagSet',
      'base',
      `spec: {flags: {v: 2, node-labels: "${'{{ cluster.a }}'.repeat(1000)}"}}\n`,
    ),
    ...cluster('staging', `spec: {variables: {a: ${'x'.repeat(2000)}}}\n`),
  }
  expect(problems(files).join('\n')).toContain('the document becomes larger than 1048576 bytes with its variables')
})
