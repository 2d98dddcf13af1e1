import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { unitFlags } from '../../scripts/agent-program.ts'
import { bundleAgent } from '../../scripts/bundle-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodewave-bundle-'))
const bundle = await bundleAgent(folder)
const flags = unitFlags(join(import.meta.dirname, '../..'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the bundled agent loads none of what modules of Node export and it does not use', () => {
  const atEnd = join(folder, 'at-end.cjs')
  writeFileSync(atEnd, "process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))")
  const loaded = execFileSync(process.execPath, ['--require', atEnd, bundle, '--version'], { encoding: 'utf8' }).split('\n')
  const unused = ['worker_threads', 'internal/util/diff', 'internal/crypto/webcrypto', 'internal/deps/undici/undici']
  expect(unused.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
  expect(loaded).toContain('NativeModule https')
})

test('the bundled agent loads modules of Node on first use', () => {
  const atEnd = join(folder, 'loaded.cjs')
  writeFileSync(atEnd, "process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))")
  const loaded = execFileSync(process.execPath, ['--require', atEnd, bundle, '--version'], { encoding: 'utf8' }).split('\n')
  const later = [
    'child_process',
    'zlib',
    'fs/promises',
    'internal/readline/interface',
    'dns',
    'dns/promises',
    'timers/promises',
    'perf_hooks',
  ]
  expect(later.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
})

test('the bundled agent has no part of the yaml package that it does not use', () => {
  const text = readFileSync(bundle, 'utf8')
  expect(text).toContain('YAMLParseError')
  expect(text).not.toMatch(/stringifyToken|require_dist/)
})

test('the bundled agent is text that V8 keeps in one byte a character', () => {
  expect(readFileSync(bundle).filter((byte) => byte > 127)).toHaveLength(0)
})

test('the bundled agent starts with the flags of node that its unit gives', () => {
  expect(flags).toEqual([
    '--max-semi-space-size=1',
    '--initial-heap-size=24',
    '--jitless',
    '--optimize-for-size',
    '--bytecode-old-age=1',
  ])
  expect(spawnSync(process.execPath, [...flags, bundle, '--version'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: '0.1.0\n',
    stderr: '',
  })
})
