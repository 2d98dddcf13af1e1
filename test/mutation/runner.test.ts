import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Runner } from './runner.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A project with two sources, each with its test. */
function aProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'nodewave-runner-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  mkdirSync(join(copy, 'test'))
  cpSync(join(ROOT, 'test/mutation'), join(copy, 'test/mutation'), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
  writeFileSync(join(copy, 'vitest.config.ts'), "export default { test: { pool: 'threads', isolate: false } }")
  for (const name of ['a', 'b']) {
    write(copy, name, 1)
    const source = `import { expect, test } from 'vitest'\nimport { value } from '../${name}.ts'\ntest('value', () => expect(value).toBe(1))\n`
    writeFileSync(join(copy, `test/${name}.test.ts`), source)
  }
  return copy
}

function write(copy: string, name: string, value: number): void {
  writeFileSync(join(copy, `${name}.ts`), `export const value = ${value}\n`)
}

test('a test that failed for one change does not kill the next one', async () => {
  const copy = aProject()
  const runner = new Runner(copy)
  onTestFinished(() => runner.stop())
  const failed = async (changed: readonly string[], tests: readonly string[]) => {
    const paths = changed.map((name) => join(copy, `${name}.ts`))
    return (await runner.run({ changed: paths, tests: tests.map((name) => `test/${name}.test.ts`), seconds: 60 })).failed
  }

  write(copy, 'a', 2)
  expect(await failed(['a'], ['a', 'b'])).toBe('test/a.test.ts: value')
  write(copy, 'a', 1)
  expect(await failed(['b', 'a'], ['b'])).toBeUndefined()
  write(copy, 'b', 2)
  expect(await failed(['b'], ['b'])).toBe('test/b.test.ts: value')
  expect(await runner.codeOf(join(copy, 'b.ts'))).toContain('value = 2')
  write(copy, 'b', 1)
  expect(await runner.codeOf(join(copy, 'b.ts'))).toContain('value = 1')
})

test('an error outside of tests fails the run with its message', async () => {
  const copy = aProject()
  const runner = new Runner(copy)
  onTestFinished(() => runner.stop())
  const source =
    "import { test } from 'vitest'\ntest('passes', () => { void Promise.reject(new Error('nobody waits for this')) })\n"
  writeFileSync(join(copy, 'test/loose.test.ts'), source)
  const { failed } = await runner.run({ changed: [], tests: ['test/loose.test.ts'], seconds: 60 })
  expect(failed).toMatch(/^an error outside of tests \(Error: nobody waits for this/)
})

test('a test that never ends counts as failed by its name, and the next one is run', async () => {
  const copy = aProject()
  const runner = new Runner(copy)
  onTestFinished(() => runner.stop())
  writeFileSync(join(copy, 'test/stuck.test.ts'), "import { test } from 'vitest'\ntest('never ends', () => { for (;;); })\n")
  const { failed } = await runner.run({ changed: [], tests: ['test/stuck.test.ts'], seconds: 2 })
  expect(failed).toBe('test/stuck.test.ts: no test file ended within 2 s of CPU')
  expect((await runner.run({ changed: [], tests: ['test/a.test.ts'], seconds: 60 })).failed).toBeUndefined()
})

test('a test that waits for what never comes counts as failed, though it uses no CPU', async () => {
  const copy = aProject()
  const runner = new Runner(copy)
  onTestFinished(() => runner.stop())
  const source = "import { test } from 'vitest'\ntest('never ends', () => new Promise(() => setInterval(() => {}, 1000)))\n"
  writeFileSync(join(copy, 'test/idle.test.ts'), source)
  const { failed } = await runner.run({ changed: [], tests: ['test/idle.test.ts'], seconds: 60, idleSeconds: 3 })
  expect(failed).toBe('test/idle.test.ts: it has waited for 3 s')
})
