import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { withDeadline } from '../waiting/until.ts'

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts')

/** Starts the demo as a process with a folder of its own for what is temporary. */
async function aDemo(args: readonly string[]) {
  const temporary = await mkdtemp(join(tmpdir(), 'nodewave-test-demo-'))
  const demo = spawn(process.execPath, [MAIN, 'demo', '--nodes', '10', ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(demo, 'exit')
  onTestFinished(async () => {
    demo.kill('SIGKILL')
    await exited
    await rm(temporary, { recursive: true, force: true })
  })
  const lines: string[] = []
  const reader = createInterface(demo.stdout)
  reader.on('line', (line) => lines.push(line))
  const said = async (what: string): Promise<void> => {
    const work = async (): Promise<void> => {
      while (!lines.some((line) => line.includes(what))) await once(reader, 'line')
    }
    await withDeadline(work(), { for: `the line "${what}"`, last: () => lines.slice(-20) })
  }
  return { demo, exited, lines, said, temporary }
}

test('demo plays every scene to its end and leaves nothing behind', async () => {
  const { exited, lines, temporary } = await aDemo(['-o', 'json'])
  expect(await exited).toEqual([0, null])
  expect(JSON.parse(lines.at(-1) ?? '').scenes.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
    ['first-rollout', true],
    ['minor-upgrade', true],
    ['blocked-drain', true],
    ['misspelt-flag', true],
    ['crashing-kubelet', true],
    ['revert', true],
    ['window', true],
    ['promotion', true],
  ])
  expect(await readdir(temporary)).toEqual([])
}, 180_000)

test.each(['SIGINT', 'SIGTERM'] as const)(
  'demo ends with 2 and leaves nothing behind when it gets %s in the middle of a scene',
  async (signal) => {
    const { demo, exited, lines, said, temporary } = await aDemo([])
    await said('wave 1/3 canary')
    demo.kill(signal)
    demo.kill(signal)
    expect(await exited).toEqual([2, null])
    expect(lines.slice(-3)).toEqual(['  ✗ interrupted', '', expect.stringMatching(/^0 of \d+ scenes succeeded/)])
    expect(await readdir(temporary)).toEqual([])
  },
)
