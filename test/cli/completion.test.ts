import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { candidatesFor, type NameSource } from '../../src/cli/completion/candidates.ts'
import { aStage } from '../controller/stage.ts'
import { listOf, scriptedServer } from '../kube/scripted-server.ts'
import { aFolder, runCli } from './run-cli.ts'

const names: NameSource = {
  pools: async () => ['workers', 'gpu'],
  nodes: async () => ['n1', 'n2'],
}

function aProgram(): Command {
  const program = new Command('nodewave')
  program
    .command('status')
    .description('show the pools')
    .argument('[pool|node]')
    .option('-w, --watch', 'show changes')
    .option('--kubeconfig <file>', 'kubeconfig')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']))
  program.command('pause').argument('[pool]')
  program.command('hold').argument('<nodes...>')
  program.command('plan').argument('[path]')
  program.command('keys').command('sign').argument('<node>').argument('<json>')
  return program
}

async function wordsAt(...words: string[]): Promise<string[]> {
  return (await candidatesFor(aProgram(), words, names)).words.map(({ word }) => word)
}

test('commands are offered first', async () => {
  expect(await wordsAt('p')).toEqual(['pause', 'plan'])
})

test.each<[string, string[], string[]]>([
  ['options of the command', ['status', '--'], ['--watch', '--kubeconfig', '--output', '--help']],
  ['choices of an option', ['status', '-o', ''], ['text', 'json']],
  ['choices after an equals sign', ['status', '--output=j'], ['--output=json']],
  ['choices after an equals sign that bash made a word of its own', ['status', '--output', '=', 'j'], ['json']],
  ['choices right after that equals sign', ['status', '--output', '='], ['text', 'json']],
  ['pools and nodes', ['status', ''], ['workers', 'gpu', 'n1', 'n2']],
  ['pools and nodes after a switch', ['status', '--watch', 'w'], ['workers']],
  ['pools alone', ['pause', ''], ['workers', 'gpu']],
  ['nodes, as many as are wanted', ['hold', 'n1', ''], ['n1', 'n2']],
  ['nothing after the last argument', ['pause', 'gpu', ''], []],
  ['commands below a command', ['keys', ''], ['sign']],
  ['arguments of a command below a command', ['keys', 'sign', 'n'], ['n1', 'n2']],
])('%s are offered', async (_, words, expected) => {
  expect(await wordsAt(...words)).toEqual(expected)
})

test.each([[['plan', '']], [['status', '--kubeconfig', '']]])('files may stand at %j', async (words) => {
  expect(await candidatesFor(aProgram(), words, names)).toEqual({ words: [], files: true })
})

test('candidates come with their description, and a directive ends them', async () => {
  const { stdout, code } = await runCli('/', ['__complete', 'hist'])

  expect([code, stdout]).toEqual([0, expect.stringMatching(/^history\t[a-z].*\n:4\n$/)])
})

test('without a cluster no name is offered, and nothing is complained of', async () => {
  expect(await runCli('/nowhere', ['__complete', 'pause', ''])).toEqual({ stdout: ':4\n', stderr: '', code: 0 })
})

test('names come from the cluster of the kubeconfig that the words name', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(2)

  const { stdout } = await runCli(folder, ['__complete', 'hold', '--kubeconfig', 'kubeconfig', ''])

  expect(stdout).toBe('n0\nn1\n:4\n')
})

test('text of a server that is no name of an object is not given to the shell', async () => {
  await using server = await scriptedServer([listOf(['$(reboot)', 'n1', 'a;reboot', 'n2\n:0'], '1')])
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'x' },
    clusters: [{ name: 'c', cluster: { server: server.url } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
  }
  const folder = await aFolder({ kubeconfig: JSON.stringify(kubeconfig) })

  expect((await runCli(folder, ['__complete', 'hold', '--kubeconfig', 'kubeconfig', ''])).stdout).toBe('n1\n:4\n')
})

test('an option that the command has none of offers nothing', async () => {
  expect((await runCli('/', ['__complete', 'status', '--none=', ''])).code).toBe(0)
})

test('a shell without a script is refused by name', async () => {
  const { stderr, code } = await runCli('/', ['completion', 'tcsh'])

  expect([code, stderr]).toEqual([2, expect.stringContaining("'tcsh' is invalid")])
})

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

test('bash completes a command and the choices of an option', { timeout: 60_000 }, async () => {
  const { stdout: script } = await runCli('/', ['completion', 'bash'])
  const session = `
nodewave() { ${process.execPath} ${join(root, 'src/cli/main.ts')} "$@"; }
${script}
COMP_WORDS=(nodewave hist); COMP_CWORD=1; _nodewave; echo "\${COMPREPLY[@]}"
COMP_WORDS=(nodewave status -o j); COMP_CWORD=3; _nodewave; echo "\${COMPREPLY[@]}"
COMP_WORDS=(nodewave promote --pr ''); COMP_CWORD=3; _nodewave; echo "\${#COMPREPLY[@]}"
`
  expect((await run('bash', ['--norc', '-c', session])).stdout).toBe('history\njson\n0\n')
})

const isFishHere = existsSync('/usr/bin/fish')

test.skipIf(!isFishHere)('fish completes files, also after an equals sign', { timeout: 60_000 }, async () => {
  const { stdout: script } = await runCli('/', ['completion', 'fish'])
  const folder = await aFolder({ 'my nodes.json': '' })
  const completed = async (line: string) => {
    const session = `function nodewave; echo ':0'; end\n${script}\ncomplete -C '${line}'`
    return (await run('fish', ['--no-config', '-c', session], { cwd: folder })).stdout
  }

  expect(await completed('nodewave plan my')).toBe('my nodes.json\n')
  expect(await completed('nodewave plan --nodes=my')).toBe('--nodes=my nodes.json\n')
})
