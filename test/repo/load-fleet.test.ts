import { expect, test } from 'vitest'
import { createLoader, loadFleet } from '../../src/repo/load-fleet.ts'
import { formatProblem } from '../../src/repo/problem.ts'
import { aDocument, aRepo, FLEET, modelOf, problemsOf, textFile } from './fleets.ts'

const POOL = aDocument('NodePool', 'workers', 'spec: {nodeSelector: {matchLabels: {role: worker}}}\n')

test('loadFleet gives a model of every kind when the repository is valid', () => {
  const model = modelOf({
    'pools/workers.yaml': aDocument(
      'NodePool',
      'workers',
      `spec:
  nodeSelector: {matchLabels: {role: worker}}
  kubelet: {version: "1.36.3", release: upstream, flagSets: [base], config: [base]}
  hostProfiles: [plain]
`,
    ),
    'all.yaml': [
      aDocument('FlagSet', 'base', 'spec: {flags: {v: 2}}\n'),
      aDocument('KubeletConfig', 'base', 'spec: {config: {maxPods: 110}}\n'),
      aDocument(
        'KubeletRelease',
        'upstream',
        `spec: {binary: {url: "https://x/{{version}}", sha256: {"1.36.3": {amd64: ${'a'.repeat(64)}}}}}\n`,
      ),
      aDocument('HostProfile', 'plain', 'spec: {files: [{path: /etc/motd, from: files/motd}]}\n'),
      aDocument('NodeOverride', 'n1', 'spec: {node: n1, config: {maxPods: 20}}\n'),
    ].join('---\n'),
    'files/motd': 'welcome\n',
  })

  expect(model.fleet.name).toBe('fleet')
  expect([...model.pools.keys()]).toEqual(['workers'])
  expect(model.flagSets.get('base')?.spec).toEqual({ flags: { v: 2 } })
  expect(model.kubeletConfigs.get('base')?.spec).toEqual({ config: { maxPods: 110 } })
  expect(model.releases.get('upstream')?.kind).toBe('KubeletRelease')
  expect(model.hostProfiles.get('plain')?.spec.files).toEqual([{ path: '/etc/motd', from: 'files/motd' }])
  expect(model.overrides.map(({ name }) => name)).toEqual(['n1'])
  expect(new TextDecoder().decode(model.attachments.get('files/motd'))).toBe('welcome\n')
})

test('loadFleet reads durations as milliseconds and shares as counts or percentages', () => {
  const pool = modelOf({
    'p.yaml': aDocument(
      'NodePool',
      'workers',
      'spec: {nodeSelector: {matchLabels: {}}, rollout: {trial: 1h30m, maxUnavailable: 20%, waves: [{name: a, nodes: 2, soak: 45s}]}}\n',
    ),
  }).pools.get('workers')

  expect(pool?.spec.rollout).toEqual({
    trial: 5_400_000,
    maxUnavailable: { percent: 20 },
    waves: [{ name: 'a', nodes: { count: 2 }, soak: 45_000 }],
  })
})

test('a source map gives the place of a value; of the nearest parent when the value is not there', () => {
  const { source } = modelOf({ 'p.yaml': POOL }).pools.get('workers') ?? {}

  expect(source?.where(['nodeSelector', 'matchLabels', 'role'])).toMatchObject({ file: 'p.yaml', line: 4, column: 43 })
  expect(source?.where(['kubelet', 'version'])).toMatchObject({ file: 'p.yaml', line: 4, column: 1 })
})

test('loadFleet tells the problems of all files and documents at once, in the order of files and lines', () => {
  const problems = problemsOf({
    'b.yaml': aDocument('FlagSet', 'b', 'spec: {flag: {}}\n'),
    'a.yaml': `${aDocument('Flagset', 'a', 'spec: {}\n')}---\n${aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, hostProfiles: [gone]}\n')}`,
  })

  expect(problems.map((problem) => problem.split('\n')[0])).toEqual([
    'a.yaml:2:7  kind: Flagset',
    'a.yaml:9:56  spec: {nodeSelector: {matchLabels: {}}, hostProfiles: [gone]}',
    'b.yaml:4:8  spec: {flag: {}}',
  ])
})

test('loadFleet gives no model when one document has an error', () => {
  const { model } = loadFleet(aRepo({ 'fleet.yaml': FLEET, 'p.yaml': POOL, 'x.yaml': 'kind: [' }))

  expect(model).toBeUndefined()
})

test('loadFleet gives a model and the warnings when there is nothing worse', () => {
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, kubelet: {version: "1.99.0", layout: env}}\n')
  const { model, problems } = loadFleet(aRepo({ 'fleet.yaml': FLEET, 'p.yaml': pool }))

  expect(model?.pools.size).toBe(1)
  expect(problems.map(({ severity, reason }) => [severity, reason])).toEqual([['warning', 'UnknownVersion']])
})

test('loadFleet refuses a repository without a Fleet; one with two', () => {
  expect(loadFleet(aRepo({ 'p.yaml': POOL })).problems.map(({ message }) => message)).toEqual(['the repository has no Fleet'])
  expect(problemsOf({ 'z.yaml': FLEET.replace('name: fleet', 'name: other') })).toEqual([
    'z.yaml:4:1  spec: {}\n            ^^^^\n  a second Fleet; the first is in fleet.yaml:4',
  ])
})

test('loadFleet says what to write in place of a tab that is indentation', () => {
  const { problems } = loadFleet(aRepo({ 'fleet.yaml': FLEET.replace('spec:', '\tspec:') }))
  expect(problems.map(({ at, message, remedy }) => [at.line, message, remedy])).toContainEqual([
    4,
    'YAML does not allow a tab as indentation',
    'replace each tab at the beginning of the line with two spaces',
  ])
})

test('loadFleet says of a file whose text is wrong that alone, not what is missing without it', () => {
  const broken = loadFleet(aRepo({ 'fleet.yaml': `${FLEET}more: [\n`, 'p.yaml': POOL })).problems
  expect(broken.map(({ at, reason }) => `${at.file} ${reason}`)).toEqual(['fleet.yaml MalformedYaml'])
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, kubelet: {flagSets: [base]}}\n')
  const set = aDocument('FlagSet', 'base', 'spec: {flags: {v: [}}\n')
  expect(new Set(problemsOf({ 'p.yaml': pool, 'set.yaml': set }).map((text) => text.split(':')[0]))).toEqual(
    new Set(['set.yaml']),
  )
})

test('loadFleet says of a field that is misspelt that alone, not that the right one is missing', () => {
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelctor: {matchLabels: {}}}\n')
  expect(problemsOf({ 'p.yaml': pool })).toEqual([expect.stringContaining('did you mean "nodeSelector"?')])
})

test('loadFleet says what to write in a configuration that was pasted without a name', () => {
  const pasted = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 3\n'
  expect(problemsOf({ 'pasted.yaml': pasted })).toEqual([
    expect.stringContaining('the document has no name, by which others refer to it\n  write  metadata: {name: NAME}'),
  ])
})

test('loadFleet names the entry of a map that a kubelet refuses', () => {
  const config = aDocument(
    'KubeletConfig',
    'c',
    'spec: {config: {evictionHard: {memory.available: 500MB, nodefs.available: 10%}}}\n',
  )
  const pool = aDocument(
    'NodePool',
    'p',
    'spec: {nodeSelector: {matchLabels: {}}, kubelet: {version: "1.36.3", layout: env, config: [c]}}\n',
  )
  expect(problemsOf({ 'c.yaml': config, 'p.yaml': pool })).toEqual([
    expect.stringMatching(/\n {2}correct {2}memory\.available: 500MB$/),
  ])
})

test('loadFleet names .nodewaveignore for a file of another tool', () => {
  const stray = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n'
  expect(problemsOf({ 'kustomization.yaml': stray })).toEqual([
    expect.stringContaining('a file of another tool? name it in .nodewaveignore'),
  ])
})

test('loadFleet refuses a name that is given twice to documents of one kind', () => {
  expect(problemsOf({ 'a.yaml': POOL, 'b.yaml': POOL.replace('role: worker', 'role: other') })).toEqual([
    'b.yaml:4:1  spec: {nodeSelector: {matchLabels: {role: other}}}\n            ^^^^\n  a NodePool named "workers" is already in a.yaml:4',
  ])
})

test('loadFleet leaves files of other tools alone: hidden ones; those without a YAML name', () => {
  expect(
    problemsOf({ '.github/workflows/ci.yaml': 'on: push', '.pre-commit.yaml': 'repos: []', 'README.md': '# [', 'x.json': '{' }),
  ).toEqual([])
})

test('loadFleet refuses what may hold documents and cannot be read', () => {
  const problems = loadFleet(
    aRepo({
      'fleet.yaml': FLEET,
      'big.yaml': { kind: 'tooLarge', size: 10_485_760 },
      'link.yaml': { kind: 'symlink', target: '../secret.yaml' },
      'linked-folder': { kind: 'symlink', target: '/etc' },
      'CLAUDE.md': { kind: 'symlink', target: 'README.md' },
      vendor: { kind: 'submodule' },
    }),
  ).problems

  expect(problems.map(formatProblem)).toEqual([
    'big.yaml:1:1\n  expected a YAML file; this is a file of 10485760 bytes, which is too large to be read',
    'link.yaml:1:1\n  expected a YAML file; this is a symlink to "../secret.yaml"; symlinks are not followed\n  put the file itself there',
    'linked-folder:1:1\n  expected a YAML file; this is a symlink to "/etc"; symlinks are not followed\n  put the file itself there',
    'vendor:1:1\n  expected a YAML file; this is a submodule; submodules are not read\n  put the files themselves there',
  ])
})

const PROFILE = aDocument('HostProfile', 'h', 'spec: {files: [{path: /etc/x.yaml, from: files/x.yaml}]}\n')

test('a YAML file that a profile puts onto hosts is content and not read as documents', () => {
  expect(problemsOf({ 'h.yaml': PROFILE, 'files/x.yaml': 'some: {other: [tool' })).toEqual([])
})

test('a file that holds documents cannot be put onto hosts as well', () => {
  expect(problemsOf({ 'h.yaml': PROFILE, 'files/x.yaml': POOL })).toEqual([
    'files/x.yaml:1:1\n  a file that is put onto hosts cannot hold documents of the fleet as well\n  put them into files of their own',
  ])
})

test('a loader gives the same document again when its file did not change, also after a revision in between', () => {
  const load = createLoader()
  const before = new Map([
    ['fleet.yaml', textFile(FLEET, 'f1')],
    ['p.yaml', textFile(POOL, 'p1')],
  ])
  const after = new Map([
    ['fleet.yaml', textFile(FLEET, 'f1')],
    ['p.yaml', textFile(POOL.replace('role: worker', 'role: other'), 'p2')],
  ])

  const first = load(before).model
  const second = load(after).model
  const third = load(before).model

  expect(second?.fleet).toBe(first?.fleet)
  expect(second?.pools.get('workers')?.spec.nodeSelector.matchLabels).toEqual({ role: 'other' })
  expect(third?.pools.get('workers')).toBe(first?.pools.get('workers'))
})

test('loadFleet says of a document that Git LFS keeps elsewhere what it is, not that it is no YAML', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`
  expect(problemsOf({ 'pools.yaml': pointer })).toEqual([
    'pools.yaml:1:1\n  expected a YAML file; this is a Git LFS pointer; LFS files are not fetched\n  git lfs untrack it, and commit the file itself',
  ])
})
