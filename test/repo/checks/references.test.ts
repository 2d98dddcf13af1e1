import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

test('a reference to nothing names the document that was meant', () => {
  expect(
    problemsOf({
      'flags.yaml': aDocument('FlagSet', 'baseline', 'spec: {flags: {}}\n'),
      'p.yaml': aDocument(
        'NodePool',
        'p',
        'spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet: {flagSets: [baseline, basline]}\n',
      ),
    }),
  ).toEqual([
    `p.yaml:6:34  kubelet: {flagSets: [baseline, basline]}
                                            ^^^^^^^
  no FlagSet is named "basline"
  did you mean "baseline"?`,
  ])
})

test('each kind of reference is looked up in its own kind', () => {
  const pool = `spec:
  nodeSelector: {matchLabels: {}}
  kubelet: {version: "1.36.3", release: a, flagSets: [b], config: [c]}
  hostProfiles: [d]
`
  const problems = problemsOf({
    'p.yaml': aDocument('NodePool', 'p', pool),
    'x.yaml': aDocument('FlagSet', 'c', 'spec: {flags: {}}\n'),
  })

  expect(problems.map((problem) => problem.split('\n').slice(2))).toEqual([
    ['  no KubeletRelease is named "a"', '  the repository has no KubeletRelease yet'],
    ['  no FlagSet is named "b"', '  did you mean "c"?'],
    ['  no KubeletConfig is named "c"', '  the repository has no KubeletConfig yet'],
    ['  no HostProfile is named "d"', '  the repository has no HostProfile yet'],
  ])
})

test('a reference to a document with an error in it is no second error', () => {
  const problems = problemsOf({
    'flags.yaml': aDocument('FlagSet', 'baseline', 'spec: {flagz: {}, flags: {}}\n'),
    'p.yaml': aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, kubelet: {flagSets: [baseline]}}\n'),
  })

  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('unknown field "flagz"')
})
