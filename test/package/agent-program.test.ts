import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { agentProgram, type ProgramFile, unitFlags } from '../../scripts/agent-program.ts'
import { bundleAgent } from '../../scripts/bundle-agent.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'nodewave-program-'))
const bundle = await bundleAgent(folder)
const built = await agentProgram({ root, bundle, node: process.execPath })
const flags = unitFlags(root)
const version = { status: 0, stdout: '0.1.0\n', stderr: '' }
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(files: readonly ProgramFile[], name: string): string {
  mkdirSync(join(folder, name))
  for (const file of files) writeFileSync(join(folder, name, file.name), file.content)
  return join(folder, name, 'nodewave-agent.mjs')
}

const start = (program: string, nodeFlags: readonly string[] = flags): object =>
  spawnSync(process.execPath, [...nodeFlags, program, '--version'], { encoding: 'utf8' })

const changed = (name: string, change: (content: Buffer) => Buffer): ProgramFile[] =>
  built.map((file) => (file.name === name ? { name, content: change(Buffer.from(file.content)) } : file))

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/** Whether V8 takes the compiled code for the text in `code`. */
function isTaken(code: string, nodeFlags: readonly string[]): boolean {
  const script = `const { readFileSync } = require('fs')
const cachedData = readFileSync(process.argv[2]).subarray(32)
const { cachedDataRejected } = new (require('vm').Script)(readFileSync(process.argv[1], 'latin1'), { cachedData })
console.log(cachedDataRejected)`
  const compiled = join(folder, 'taken/nodewave-agent.compiled')
  return spawnSync(process.execPath, [...nodeFlags, '-e', script, code, compiled], { encoding: 'utf8' }).stdout === 'false\n'
}

test('the program starts with the flags of its unit, and V8 takes its compiled code', () => {
  expect(start(write(built, 'taken'))).toMatchObject(version)
  expect(isTaken(join(folder, 'taken/nodewave-agent.js'), flags)).toBe(true)
  expect(isTaken(join(folder, 'taken/nodewave-agent.js'), ['--jitless'])).toBe(false)
})

test('the program starts with other flags, for which V8 compiles', () => {
  expect(start(write(built, 'flags'), ['--jitless'])).toMatchObject(version)
})

test('the program starts without compiled code', async () => {
  const files = await agentProgram({ root, bundle, node: undefined })
  expect(files.map(({ name }) => name)).toEqual(['nodewave-agent.mjs', 'nodewave-agent.js'])
  expect(start(write(files, 'without'))).toMatchObject(version)
})

test('compiled code of another text of the same length does not run', () => {
  const replaced = changed('nodewave-agent.js', (code) => Buffer.from(code.toString('latin1').replaceAll('"0.1.0"', '"9.9.9"')))
  expect(start(write(replaced, 'replaced'))).toMatchObject({ status: 0, stdout: '9.9.9\n', stderr: '' })
})

test.each([
  ['damaged', (content: Buffer): Buffer => content.fill(0xff, content.length / 2, content.length / 2 + 4096)],
  ['cut off', (content: Buffer): Buffer => content.subarray(0, content.length / 2)],
  ['empty', (): Buffer => Buffer.alloc(0)],
])('compiled code that is %s does not run', (name, change) => {
  expect(start(write(changed('nodewave-agent.compiled', change), name))).toMatchObject(version)
})

test('the program is the same each time that it is built, from whatever folder', async () => {
  const elsewhere = join(folder, 'the-bundle-elsewhere')
  copyFileSync(bundle, elsewhere)
  const again = await agentProgram({ root, bundle: elsewhere, node: process.execPath })
  expect(again.map(({ content }) => digestOf(content))).toEqual(built.map(({ content }) => digestOf(content)))
})

test('the code of the program imports nothing later: a script that V8 keeps compiled cannot', () => {
  expect(readFileSync(bundle, 'latin1')).not.toMatch(/\bimport\(|import\.meta/)
})
