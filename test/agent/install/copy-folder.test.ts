import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyFolder, copyToHost } from '../../../src/agent/adapters/copy-folder.ts'

let root: string
let source: string
let target: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodewave-copy-'))
  source = join(root, 'package')
  target = join(root, 'opt/1.0.0')
  put('package/nodewave-agent.mjs', 'agent')
  put('package/lib/libc.so', 'library')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

const contentOf = (path: string): string => readFileSync(join(root, path), 'utf8')

test('copyFolder copies all files, and leaves nothing beside', () => {
  copyFolder(source, target)
  expect([contentOf('opt/1.0.0/nodewave-agent.mjs'), contentOf('opt/1.0.0/lib/libc.so')]).toEqual(['agent', 'library'])
  expect(readdirSync(join(root, 'opt'))).toEqual(['1.0.0'])
})

test('copyFolder copies a folder again that a killed installer left in parts', () => {
  put('opt/1.0.0/nodewave-agent.mjs', 'age')
  put('opt/.1.0.0.partial/lib/rest', '')
  put('opt/.0.9.0.partial/lib/rest', '')
  copyFolder(source, target)
  expect([contentOf('opt/1.0.0/nodewave-agent.mjs'), contentOf('opt/1.0.0/lib/libc.so')]).toEqual(['agent', 'library'])
  expect(readdirSync(join(root, 'opt'))).toEqual(['1.0.0'])
})

test('copyFolder refuses a target that is a file', () => {
  put('opt/1.0.0', 'theirs')
  expect(() => copyFolder(source, target)).toThrow(`"${target}" is no folder of the agent; move it away and install again`)
  expect(contentOf('opt/1.0.0')).toBe('theirs')
})

test('copyFolder refuses a target that is a link', () => {
  put('theirs/program', 'theirs')
  mkdirSync(join(root, 'opt'))
  symlinkSync('../theirs', target)
  expect(() => copyFolder(source, target)).toThrow('is no folder of the agent')
  expect(contentOf('opt/1.0.0/program')).toBe('theirs')
})

test('copyFolder refuses the folder of another program', () => {
  put('opt/1.0.0/program', 'theirs')
  expect(() => copyFolder(source, target)).toThrow('is no folder of the agent')
  expect(contentOf('opt/1.0.0/program')).toBe('theirs')
})

test.each(['lib', 'refused'])('copyFolder fills a folder of which a removal left only "%s"', (name) => {
  mkdirSync(name === 'lib' ? join(target, name) : target, { recursive: true })
  if (name === 'refused') put('opt/1.0.0/refused', '')
  copyFolder(source, target)
  expect(contentOf('opt/1.0.0/nodewave-agent.mjs')).toBe('agent')
})

test('copyFolder leaves the target as it was, and no half copy, when a file cannot be copied', () => {
  put('opt/1.0.0/nodewave-agent.mjs', 'agent of yesterday')
  put('package/lib/z', 'unreadable')
  const failing = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, copyfile'), { code: 'ENOSPC' })
  }
  expect(() => copyFolder(source, target, failing)).toThrow(
    `copy the agent to "${target}": ENOSPC: no space left on device, copyfile; it needs 1 MB on that disk; correct the cause and install again`,
  )
  expect(contentOf('opt/1.0.0/nodewave-agent.mjs')).toBe('agent of yesterday')
  expect(existsSync(join(root, 'opt/.1.0.0.partial'))).toBe(false)
})

test('copyToHost copies to where /opt of the host leads when that is a link with an absolute path', () => {
  mkdirSync(join(root, 'data'))
  symlinkSync('/data', join(root, 'opt'))
  copyToHost(source, { host: root, folder: '/opt/nodewave/1.0.0' })
  expect(contentOf('data/nodewave/1.0.0/nodewave-agent.mjs')).toBe('agent')
})

test('copyToHost names the path as the host does when it refuses', () => {
  put('opt/nodewave/1.0.0', 'theirs')
  expect(() => copyToHost(source, { host: root, folder: '/opt/nodewave/1.0.0' })).toThrow(
    'copy the agent: "/opt/nodewave/1.0.0" is no folder of the agent',
  )
})
