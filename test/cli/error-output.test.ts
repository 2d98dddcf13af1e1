import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { askedFormat } from '../../src/cli/output/asked-format.ts'
import { aFolder, commitAll, FLEET, NODES, runCli } from './run-cli.ts'

const INVALID = { ...FLEET, 'base.yaml': FLEET['base.yaml'].replace('maxPods', 'maxPodz'), 'nodes.json': NODES }

/** Commands that read a fleet. */
test.each([
  ['validate', []],
  ['plan', ['--nodes', 'nodes.json', '--from', 'none']],
  ['simulate', ['--fake-nodes', '4', '--from', 'none']],
  ['render', ['--nodes', 'nodes.json']],
  ['explain', ['w-1', '--nodes', 'nodes.json']],
  ['windows', []],
] as const)('%s prints the problems of an invalid fleet as JSON when it is asked for JSON', async (command, args) => {
  const folder = await aFolder(INVALID)
  const asText = await runCli(folder, [command, ...args])
  const asJson = await runCli(folder, [command, ...args, '-o', 'json'])
  const asYaml = await runCli(folder, [command, ...args, '--output=yaml'])

  expect([asText.code, asJson.code, asYaml.code]).toEqual([2, 2, 2])
  expect(asJson.stderr).toBe(asText.stderr)
  const place = { file: 'base.yaml', line: 6, column: 5, found: 'maxPodz', remedy: 'did you mean "maxPods"?' }
  expect(JSON.parse(asJson.stdout).problems).toEqual([expect.objectContaining({ severity: 'error', ...place })])
  expect(parse(asYaml.stdout)).toEqual(JSON.parse(asJson.stdout))
})

/** Each command with -o json, and an error in what it was given. */
test.each([
  ['validate', ['nowhere']],
  ['plan', ['nowhere']],
  ['simulate', ['nowhere', '--fake-nodes', '4']],
  ['render', ['nowhere']],
  ['explain', ['w-1', '--repo', 'nowhere']],
  ['windows', ['nowhere']],
  ['checksums', ['nowhere']],
  ['import', ['--nodes', 'nowhere.json']],
  ['init', ['new', '--ci', 'svn']],
  ['keys', ['generate', '--out', 'nowhere/deep/er', '--unknown']],
  ...['check', 'status', 'version', 'logs w-1', 'history workers', 'pause workers', 'resume workers', 'promote workers'].map(
    ofCluster,
  ),
  ...['retry workers', 'rollback workers', 'hold w-1', 'release w-1', 'reboot w-1', 'reconcile'].map(ofCluster),
  ['demo', ['--nodes', 'many']],
])('%s %j prints an error as JSON when it is asked for JSON', async (command, args) => {
  const folder = await aFolder({})
  const asText = await runCli(folder, [command, ...args])
  const { stdout, stderr, code } = await runCli(folder, [command, ...args, '-o', 'json'])

  expect([code, stderr]).toEqual([asText.code, asText.stderr])
  expect([code, stdout]).not.toEqual([0, ''])
  const { error, problems } = JSON.parse(stdout)
  expect([stderr.includes(error), problems]).toEqual([true, []])
})

function ofCluster(words: string): [string, string[]] {
  const [command = '', ...args] = words.split(' ')
  return [command, [...args, '--kubeconfig', 'nowhere.conf']]
}

test('an error is not printed as JSON when text or a template is asked for', async () => {
  const folder = await aFolder(INVALID)
  await commitAll(folder)
  expect((await runCli(folder, ['plan', '--fake-nodes', '4'])).stdout).toBe('')
  expect((await runCli(folder, ['windows', '-o', 'jsonpath={.pools}'])).stdout).toBe('')
})

test.each([
  [['plan', '-o', 'json'], 'json'],
  [['plan', '-ojson'], 'json'],
  [['plan', '--output', 'yaml'], 'yaml'],
  [['plan', '--output=yaml', '-o', 'json'], 'json'],
  [['plan', '-o', 'text'], undefined],
  [['plan', '-o'], undefined],
  [['plan'], undefined],
  [['plan', '--', '-o', 'json'], undefined],
])('the format of errors is found in %j', (args, format) => {
  expect(askedFormat(args)).toBe(format)
})
