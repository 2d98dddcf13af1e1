import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../src/cli/agent-main.ts', import.meta.url))

function ranAgent(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; stdout: string; stderr: string }>()
  const child = execFile(process.execPath, [PROGRAM, ...args], (_, stdout, stderr) =>
    resolve({ code: child.exitCode, stdout, stderr }),
  )
  return promise
}

test.each([
  ['doctor', fileURLToPath(new URL('missing/host', import.meta.url)), 'does not exist'],
  ['import', fileURLToPath(new URL('missing/host', import.meta.url)), 'does not exist'],
  ['doctor', PROGRAM, 'is not a folder'],
])('agent %s says that the folder of --root cannot stand for a host when it is wrong', async (command, root, what) => {
  expect(await ranAgent(command, '--root', root)).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: --root "${root}" ${what}: name the folder that has the files of a host, such as --root /host; without --root it is this machine\n`,
  })
})

test('agent doctor prints an error as JSON when it is asked for JSON', async () => {
  const { code, stdout } = await ranAgent('doctor', '--root', '/nowhere/at/all', '-o', 'json')
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('--root "/nowhere/at/all" does not exist'), problems: [] })
})

test('agent prints the help of a subcommand when --help follows it', async () => {
  const { code, stdout } = await ranAgent('install', '--help')
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'Usage: nodewave agent install [options]'])
})
