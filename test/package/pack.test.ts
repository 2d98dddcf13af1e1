import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The package as a user gets it: packed, installed into an empty folder, run from there. */
const folder = mkdtempSync(join(tmpdir(), 'nodewave-package-'))
const installed = join(folder, 'node_modules/nodewave')

function run(program: string, args: readonly string[], cwd = folder): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

beforeAll(() => {
  run('npm', ['pack', '--silent', '--pack-destination', folder], join(import.meta.dirname, '../..'))
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder, join(folder, archive)])
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the installed package validates its own example fleet', () => {
  const output = run(join(folder, 'node_modules/.bin/nodewave'), ['validate', join(installed, 'examples/repo'), '-o', 'json'])
  expect(JSON.parse(output)).toMatchObject({ valid: true })
})

test('the package says what it depends on', () => {
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(installed, 'dist/sbom.cdx.json'), 'utf8'))
  expect([bomFormat, metadata.component.purl, metadata.component.name]).toEqual([
    'CycloneDX',
    'pkg:npm/nodewave@0.1.0',
    'nodewave',
  ])
  const names = components.map(({ name }: { readonly name: string }) => name)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies).filter((name) => !names.includes(name))).toEqual([])
})

test('no dependency runs a script when the package is installed', () => {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  expect(Object.keys(packages).length).toBeGreaterThan(10)
  expect(Object.keys(packages).filter((path) => packages[path].hasInstallScript)).toEqual([])
})

test('the installed package prints its version', () => {
  expect(run(join(folder, 'node_modules/.bin/nodewave'), ['--version']).trim()).toBe('0.1.0')
})

test('the installed package carries JavaScript, the agent as one file, and no Node binaries', () => {
  expect(readdirSync(installed).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'deploy',
    'dist',
    'docs',
    'examples',
    'package.json',
    'schemas',
  ])
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('node-linux'))).toEqual([])
  expect(run(process.execPath, [join(installed, 'dist/nodewave-agent.mjs'), '--help'])).toContain('nodewave agent')
})
