import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const pool = (name: string, version: string, kubelet: string) =>
  aDocument(
    'NodePool',
    name,
    `spec: {nodeSelector: {matchLabels: {pool: ${name}}}, kubelet: {layout: env, version: "${version}", ${kubelet}}}\n`,
  )

test('a flag that a pool’s kubelet no longer has is refused where it stands, with the pool that uses it', () => {
  expect(
    problemsOf({
      'flagsets/baseline.yaml': aDocument('FlagSet', 'baseline', 'spec:\n  flags:\n    pod-infra-container-image: pause\n'),
      'pools/new.yaml': pool('new', '1.36.3', 'flagSets: [baseline]'),
      'pools/old.yaml': pool('old', '1.34.4', 'flagSets: [baseline]'),
    }),
  ).toEqual([
    `flagsets/baseline.yaml:6:5  pod-infra-container-image: pause
                            ^^^^^^^^^^^^^^^^^^^^^^^^^
  flag --pod-infra-container-image is not known to kubelet 1.36.3 (removed in 1.35)
  used by pools/new.yaml:4:103
  take it out`,
  ])
})

test('a document that several pools of one version use is judged once and names them all', () => {
  const problems = problemsOf({
    'c.yaml': aDocument('KubeletConfig', 'c', 'spec: {config: {maxPodz: 1}}\n'),
    'a.yaml': pool('a', '1.36.3', 'config: [c]'),
    'b.yaml': pool('b', '1.36.3', 'config: [c]'),
  })

  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('used by a.yaml:4:99, b.yaml:4:99')
})

test('a document that no pool uses is judged by what any kubelet knows', () => {
  expect(problemsOf({ 'f.yaml': aDocument('FlagSet', 'f', 'spec: {flags: {pod-infra-container-image: x}}\n') })).toEqual([])
  expect(problemsOf({ 'f.yaml': aDocument('FlagSet', 'f', 'spec: {flags: {no-such-flag: x}}\n') })[0]).toContain(
    'flag --no-such-flag is not known to any kubelet from 1.31 to 1.36',
  )
})

test('flags of the pool itself are judged by its version', () => {
  expect(problemsOf({ 'p.yaml': pool('p', '1.35.4', 'flags: {register-schedulable: true}') })[0]).toContain(
    'flag --register-schedulable is not known to kubelet 1.35.4 (removed in 1.34)',
  )
})

test('an override is refused only for what no pool’s kubelet would take', () => {
  const files = {
    'a.yaml': pool('a', '1.34.4', 'flags: {}'),
    'b.yaml': pool('b', '1.36.3', 'flags: {}'),
    'o.yaml': aDocument(
      'NodeOverride',
      'o',
      'spec: {node: n, flags: {pod-infra-container-image: x, cloud-config: y}, config: {memoryReservationPolicy: None}}\n',
    ),
  }

  expect(problemsOf(files).map((problem) => problem.split('\n')[2])).toEqual([
    '  flag --cloud-config is not known to kubelet 1.34.4 (removed in 1.34)',
  ])
})

test.each([
  [
    '1.99.0',
    'warning: kubelet 1.99.0 is not known to this version of nodewave; its fields and flags are checked as those of 1.36.3',
  ],
  [
    '1.28.2',
    'warning: kubelet 1.28.2 is not known to this version of nodewave; its fields and flags are checked as those of 1.31.14',
  ],
])('a version that is not known is let through with a warning: %s', (version, message) => {
  expect(problemsOf({ 'p.yaml': pool('p', version, 'flags: {v: 2}') }).map((problem) => problem.split('\n')[2])).toEqual([
    `  ${message}`,
  ])
})
