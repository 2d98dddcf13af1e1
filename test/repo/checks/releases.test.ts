import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const SUM = 'a'.repeat(64)
const pool = (kubelet: string) => aDocument('NodePool', 'p', `spec: {nodeSelector: {matchLabels: {}}, kubelet: {${kubelet}}}\n`)
const release = (url: string, sums: string) =>
  aDocument('KubeletRelease', 'up', `spec:\n  binary:\n    url: "${url}"\n    sha256: {${sums}}\n`)

function told(files: Readonly<Record<string, string>>): string[][] {
  return problemsOf(files).map((problem) => problem.split('\n').filter((_, index) => index !== 1))
}

test('a version whose checksum the release states is fine', () => {
  expect(
    told({
      'p.yaml': pool('version: "1.36.3", release: up'),
      'r.yaml': release('https://x/{{version}}/{{ arch }}', `"1.36.3": {amd64: ${SUM}}`),
    }),
  ).toEqual([])
})

test('a version without a checksum is refused, with the place to add it', () => {
  expect(
    told({ 'p.yaml': pool('version: "1.36.3", release: up'), 'r.yaml': release('https://x', `"1.36.2": {amd64: ${SUM}}`) }),
  ).toEqual([
    [
      'p.yaml:4:60  …Labels: {}}, kubelet: {version: "1.36.3", release: up}}',
      '  release "up" has no checksum for kubelet 1.36.3',
      '  add "1.36.3" with its sha256 by architecture at r.yaml:7:5',
    ],
  ])
})

test('a version that nothing installs is refused, but for the env layout where the host does', () => {
  expect(told({ 'p.yaml': pool('version: "1.36.3"') })[0]?.[1]).toBe('  no source for kubelet 1.36.3')
  expect(told({ 'p.yaml': pool('version: "1.36.3", layout: env') })).toEqual([])
})

test('a release without a version is refused', () => {
  expect(told({ 'p.yaml': pool('release: up'), 'r.yaml': release('https://x', `"1.36.2": {amd64: ${SUM}}`) })[0]?.[1]).toBe(
    '  a release needs a version to obtain',
  )
})

test('a URL with a placeholder that nothing fills in is refused', () => {
  expect(told({ 'r.yaml': release('https://x/{{ver}}', `"1.36.2": {amd64: ${SUM}}`) })).toEqual([
    ['r.yaml:6:10  url: "https://x/{{ver}}"', '  "{{ver}}" cannot be filled in: expected {{version}} or {{arch}}'],
  ])
})

test('a checksum of zeros is let through with a warning', () => {
  expect(told({ 'r.yaml': release('https://x', `"1.36.2": {arm64: "${'0'.repeat(64)}"}`) })[0]?.[1]).toBe(
    '  warning: the checksum of kubelet 1.36.2 for arm64 is a placeholder: agents will refuse every download',
  )
})
