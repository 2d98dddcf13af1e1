import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const ARMORED = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n'
const profile = (spec: string) => aDocument('HostProfile', 'h', `spec: {${spec}}\n`)
const repository = (apt: string) => profile(`repositories: [{name: stable, apt: {url: "https://packages.test/", ${apt}}}]`)

function told(document: string, files: Readonly<Record<string, string>> = {}): string[] {
  return problemsOf({ 'h.yaml': document, ...files }).map((problem) => problem.split('\n').slice(2).join(';'))
}

test('a repository with its key in a file, and packages of it, are taken', () => {
  const text = 'packages: [{name: "g++", version: "4:12.2.0-3"}, {name: snapd, state: absent}]'
  expect(told(profile(text))).toEqual([])
  expect(told(repository('keyFrom: keys/a.asc'), { 'keys/a.asc': ARMORED })).toEqual([])
})

test.each([
  ['a file that is not there', 'keyFrom: keys/b.asc', 'the repository has no file "keys/b.asc"'],
  ['a file that is no armored key', 'keyFrom: keys/binary.gpg', '"keys/binary.gpg" is no armored public key'],
  ['no key', 'suite: /', 'expected one of key and keyFrom'],
  ['a suite without components', 'keyFrom: keys/a.asc, suite: bookworm', 'expected components, or a suite that ends with "/"'],
  ['a suite of two lines', 'keyFrom: keys/a.asc, suite: "a/\\nTrusted: yes/"', 'expected one line'],
])('a repository with %s is refused', (_, apt, message) => {
  const files = { 'keys/a.asc': ARMORED, 'keys/binary.gpg': 'abc' }
  expect(told(repository(apt), files).join('\n')).toContain(message)
})

test.each([
  ['that looks like an option', 'name: "-o"', 'expected the name of a package'],
  ['in a version that names another package', 'name: a, version: "1 b"', 'expected a whole package version'],
  ['that is absent in a version', 'name: a, version: "1", state: absent', 'expected neither version nor hold with state: absent'],
])('a package %s is refused', (_, spec, message) => {
  expect(told(profile(`packages: [{${spec}}]`)).join('\n')).toContain(message)
})

test('a package and a repository that are named twice are refused', () => {
  const apt = 'apt: {url: "https://packages.test/", keyFrom: keys/a.asc}'
  const document = profile(
    `packages: [{name: a}, {name: a, state: absent}], repositories: [{name: r, ${apt}}, {name: r, ${apt}}]`,
  )
  expect(told(document, { 'keys/a.asc': ARMORED })).toEqual([
    expect.stringContaining('package a is defined twice'),
    expect.stringContaining('repository r is defined twice'),
  ])
})

const release = (apt: string) => aDocument('KubeletRelease', 'r', `spec: {apt: {keyFrom: keys/a.asc, ${apt}}}\n`)

test.each([
  ['that names no version', 'url: "https://p.test/", version: "1.36.3-1.1"', 'expected a pattern such as "{{version}}-1.1"'],
  [
    'whose URL cannot be filled in',
    'url: "https://p.test/{{arch}}/", version: "{{version}}-1.1"',
    '"{{arch}}" cannot be filled in',
  ],
])('a release of packages %s is refused', (_, apt, message) => {
  expect(told(release(apt), { 'keys/a.asc': ARMORED }).join('\n')).toContain(message)
})

test('a release of packages that the repositories of the host have needs only a version', () => {
  for (const manager of ['apt', 'dnf', 'zypper']) {
    const document = aDocument('KubeletRelease', 'r', `spec: {${manager}: {version: "{{version}}-1.1"}}\n`)
    expect(told(document)).toEqual([])
  }
})

test.each(['keyFrom: keys/a.asc', 'suite: stable', 'components: [main]'])('a release with %s and no url is refused', (field) => {
  const document = aDocument('KubeletRelease', 'r', `spec: {apt: {${field}, version: "{{version}}-1.1"}}\n`)
  expect(told(document, { 'keys/a.asc': ARMORED }).join('\n')).toContain(
    'expected url beside key, keyFrom, suite, components, architectures',
  )
})

test('a release of packages whose key is not in the repository is refused', () => {
  const apt = 'url: "https://p.test/v{{minor}}/deb/", version: "{{version}}-1.1"'
  expect(told(release(apt)).join('\n')).toContain('the repository has no file "keys/a.asc"')
  expect(told(release(apt), { 'keys/a.asc': ARMORED })).toEqual([])
})

const dnf = (fields: string) => profile(`repositories: [{name: stable, dnf: {${fields}}}]`)
const URL = 'url: "https://packages.test/$releasever/"'

test('a repository of dnf with its key in a file, and a release of its packages, are taken', () => {
  const source = `${URL}, keyFrom: keys/a.asc`
  const packaged = `spec: {dnf: {url: "https://p.test/v{{minor}}/rpm/", keyFrom: keys/a.asc, version: "{{version}}-150500.1.1"}}`
  expect(told(dnf(source), { 'keys/a.asc': ARMORED })).toEqual([])
  expect(told(aDocument('KubeletRelease', 'r', `${packaged}\n`), { 'keys/a.asc': ARMORED })).toEqual([])
})

test.each([
  ['whose key is not there', dnf(`${URL}, keyFrom: keys/b.asc`), 'the repository has no file "keys/b.asc"'],
  ['without a key', dnf(URL), 'expected one of key and keyFrom'],
  ['of two managers', profile(`repositories: [{name: r, apt: {${URL}}, dnf: {${URL}}}]`), 'expected one of key and keyFrom'],
  ['of no manager', profile('repositories: [{name: r}]'), 'expected one of apt, dnf and zypper'],
  ['of two lines', dnf('url: "https://p.test/\\ngpgcheck=0", keyFrom: keys/a.asc'), 'expected an http or https URL'],
  ['with a suite', dnf(`${URL}, suite: /, keyFrom: keys/a.asc`), 'suite'],
])('a repository of dnf %s is refused', (_, document, message) => {
  const problems = problemsOf({ 'h.yaml': document, 'keys/a.asc': ARMORED })
  expect(problems.join('\n')).toContain(message)
})
