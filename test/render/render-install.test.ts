import { expect, test } from 'vitest'
import { diffContent } from '../../src/render/diff-content.ts'
import { disruptionBetween } from '../../src/render/disruption.ts'
import { aFleet, aNode, rendered, WORKERS } from './fleets.ts'

const KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n'
const APT = `apt:
  url: https://pkgs.k8s.io/core:/stable:/v{{minor}}/deb/
  keyFrom: keys/kubernetes.asc
  version: "{{version}}-1.1"`

const DNF = `dnf:
  url: https://pkgs.k8s.io/core:/stable:/v{{minor}}/rpm/
  keyFrom: keys/kubernetes.asc
  version: "{{version}}-150500.1.1"`

function contentAt(version: string, release = APT) {
  const documents = {
    'KubeletRelease upstream': release,
    'NodePool workers': `${WORKERS}\nkubelet: {version: "${version}", release: upstream}`,
  }
  return rendered(aFleet(documents, { 'keys/kubernetes.asc': KEY }), aNode('a')).content
}

test('a release of packages becomes the package and the repository of its minor version', () => {
  const { kubelet, repositories } = JSON.parse(contentAt('1.36.3').host ?? '{}')

  expect(kubelet.package).toEqual({ manager: 'apt', name: 'kubelet', version: '1.36.3-1.1' })
  expect(kubelet.binary).toBeUndefined()
  expect(repositories).toEqual([
    { name: 'release-upstream', apt: { url: 'https://pkgs.k8s.io/core:/stable:/v1.36/deb/', suite: '/', key: KEY } },
  ])
})

test('a release of rpm packages becomes those of dnf', () => {
  const { kubelet, repositories } = JSON.parse(contentAt('1.36.3', DNF).host ?? '{}')

  expect(kubelet.package).toEqual({ manager: 'dnf', name: 'kubelet', version: '1.36.3-150500.1.1' })
  expect(repositories).toEqual([
    { name: 'release-upstream', dnf: { url: 'https://pkgs.k8s.io/core:/stable:/v1.36/rpm/', key: KEY } },
  ])
})

test('a release of packages without a URL becomes the package alone', () => {
  const { kubelet, repositories } = JSON.parse(contentAt('1.36.3', 'apt: {version: "{{version}}-1.1"}').host ?? '{}')

  expect(kubelet.package).toEqual({ manager: 'apt', name: 'kubelet', version: '1.36.3-1.1' })
  expect(repositories).toBeUndefined()
})

test('a version of a packaged kubelet is one change, and disturbs as any version does', () => {
  const [from, to] = [contentAt('1.35.4'), contentAt('1.36.3')]

  expect(diffContent(from, to).map(({ path }) => path)).toEqual([['version']])
  expect(disruptionBetween(from, to)).toEqual({
    disruption: 'drain',
    reasons: ['version: minor release 1.35 → 1.36 (drain)'],
  })
})
