import { expect, test } from 'vitest'
import { changeViolation } from '../../../src/controller/ceilings/content-violation.ts'
import type { Ceiling } from '../../../src/rollout/model/ceiling.ts'

const node = { labels: {} }

function told(document: object, forbiddenPaths: readonly string[]): string | undefined {
  const ceiling = { rules: [{ place: 'rules[0]', forbiddenPaths }] } as unknown as Ceiling
  const content = { host: JSON.stringify(document) }
  return changeViolation(node, { content, disruption: 'none' }, ceiling)?.split(';')[0]
}

test.each([
  ['a package', { packages: [{ name: 'a' }] }, 'package "a", which may write anywhere, is forbidden'],
  [
    'a repository below a forbidden folder',
    { repositories: [{ name: 'r', apt: { url: 'https://r.test/' } }] },
    'path "/etc/apt/sources.list.d/nodewave-r.sources" is forbidden',
  ],
])('a Ceiling with forbidden paths refuses %s', (_, document, message) => {
  expect(told(document, ['/etc/sudoers.d', '/etc/apt'])).toBe(message)
})

test('a Ceiling with forbidden paths allows the package of the kubelet, and without any it allows all', () => {
  expect(told({ kubelet: { package: { manager: 'apt', name: 'kubelet', version: '1' } } }, ['/etc/sudoers.d'])).toBeUndefined()
  expect(told({ packages: [{ name: 'a' }] }, [])).toBeUndefined()
})
