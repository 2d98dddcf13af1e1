/** What Renovate is told of the project's own dependencies is there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { packageRules, customManagers } = JSON.parse(read('renovate.json')) as {
  packageRules: readonly { readonly matchFileNames?: readonly string[]; readonly groupName?: string }[]
  customManagers: readonly { readonly matchStrings: readonly string[] }[]
}
const { devDependencies, peerDependencies } = JSON.parse(read('package.json'))

function foundIn(path: string): string[] {
  const patterns = customManagers.flatMap(({ matchStrings }) => matchStrings)
  return patterns.flatMap((pattern) =>
    [...read(path).matchAll(new RegExp(pattern, 'g'))].map(({ groups = {} }) => `${groups.depName} ${groups.currentValue}`),
  )
}

test('each file that a rule names is there', () => {
  expect(
    packageRules.flatMap(({ matchFileNames = [] }) => matchFileNames).filter((path) => !existsSync(join(root, path))),
  ).toEqual([])
})

test('the Node.js runtime is one group, of one version on every platform', () => {
  const { optionalDependencies } = JSON.parse(read('tools/node-runtime/package.json'))
  expect(new Set(Object.values(optionalDependencies))).toHaveLength(1)
  expect(packageRules.find(({ matchFileNames }) => matchFileNames?.includes('tools/node-runtime/package.json'))?.groupName).toBe(
    'Node.js runtime',
  )
})

test('Renovate finds the optional packages of the Dockerfile, at the versions that are tested', () => {
  expect(foundIn('Dockerfile')).toEqual(
    Object.keys(peerDependencies)
      .toReversed()
      .map((name) => `${name} ${devDependencies[name]}`),
  )
})

test('Renovate finds the programs in Go of the workflows', () => {
  expect(foundIn('.github/workflows/release.yaml')).toEqual(['github.com/goreleaser/nfpm/v2 v2.45.0'])
})
