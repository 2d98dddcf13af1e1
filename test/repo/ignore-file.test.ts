import { expect, test } from 'vitest'
import { ignoredFiles } from '../../src/repo/ignore-file.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import { aDocument, aRepo, FLEET, modelOf, problemsOf } from './fleets.ts'

test.each([
  ['kustomization.yaml', ['kustomization.yaml', 'a/kustomization.yaml'], ['kustomization.yml', 'kustomization.yaml.yaml']],
  ['/kustomization.yaml', ['kustomization.yaml'], ['a/kustomization.yaml']],
  ['charts/', ['charts/a.yaml', 'a/charts/b/c.yaml'], ['charts', 'a/charts']],
  ['docs/*.yaml', ['docs/a.yaml'], ['docs/a/b.yaml', 'a/docs/b.yaml', 'docs.yaml']],
  ['docs/**', ['docs/a.yaml', 'docs/a/b.yaml'], ['a/docs/a.yaml']],
  ['**/values.yaml', ['values.yaml', 'a/b/values.yaml'], ['a/values.yml']],
  ['a/**/b', ['a/b', 'a/c/b', 'a/c/d/b/e.yaml'], ['a/c', 'b', 'c/a/b']],
  ['*.tmpl.yaml', ['x.tmpl.yaml', 'a/.tmpl.yaml'], ['x.yaml']],
  ['pool?.yaml', ['pool1.yaml'], ['pool.yaml', 'pool10.yaml']],
  ['a*b*c', ['abc', 'aXbXbXc'], ['acb', 'ab']],
] as const)('the pattern %s ignores files as .gitignore does', (pattern, ignored, kept) => {
  const { isIgnored, problems } = ignoredFiles(aRepo({ '.nodewaveignore': `# comment\n\n${pattern}\r\n` }))
  expect(problems).toEqual([])
  expect(ignored.filter((path) => !isIgnored(path))).toEqual([])
  expect(kept.filter(isIgnored)).toEqual([])
})

test('a repository with files of other tools is valid when it names them', () => {
  const files = {
    'kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
    'charts/values.yaml': 'a: {{ template }}\n',
    'charts/link.yaml': { kind: 'symlink', target: '../x' } as const,
    'pool.yaml': aDocument('NodePool', 'workers', 'spec: {nodeSelector: {matchLabels: {}}}\n'),
  }
  expect(problemsOf(files).length).toBeGreaterThan(2)
  const model = modelOf({ ...files, '.nodewaveignore': 'kustomization.yaml\ncharts/\n' })
  expect([...model.sources]).toEqual(['fleet.yaml', 'pool.yaml'])
})

test('a file that is put onto hosts is still there when it is ignored', () => {
  const host = aDocument('HostProfile', 'h', 'spec: {files: [{path: /etc/a.yaml, from: files/a.yaml}]}\n')
  const model = modelOf({ 'h.yaml': host, 'files/a.yaml': 'a: 1\n', '.nodewaveignore': 'files/\n' })
  expect([...model.attachments.keys()]).toEqual(['files/a.yaml'])
})

test.each([
  ['!pool.yaml', '.nodewaveignore:1:1  !pool.yaml', 'begins with "!" is not supported'],
  ['a\n[ab].yaml', '.nodewaveignore:2:1  [ab].yaml', '"[", "]" and "\\" are not supported'],
])('a pattern that is not supported is an error with its line: %j', (text, place, message) => {
  const [problem = ''] = problemsOf({ '.nodewaveignore': `${text}\n` })
  expect(problem).toContain(place)
  expect(problem).toContain(message)
})

test('a list that is a symlink is an error: what it ignores is unknown', () => {
  const files = aRepo({ 'fleet.yaml': FLEET, '.nodewaveignore': { kind: 'symlink', target: 'x' } })
  expect(loadFleet(files).problems.map(({ message }) => message)).toEqual(['expected a file of text'])
})

test('a long pattern and a long path are compared before the test times out', () => {
  const { isIgnored } = ignoredFiles(aRepo({ '.nodewaveignore': `${'*a'.repeat(120)}b\n${'**/*a/'.repeat(40)}b\n` }))
  expect(isIgnored(`${'a'.repeat(250)}/`.repeat(16))).toBe(false)
})
