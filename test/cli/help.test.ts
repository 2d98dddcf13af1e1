import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AGENT_HELP, parseAgentArguments } from '../../src/cli/agent-arguments.ts'
import { agentHelp } from '../../src/cli/agent-help.ts'
import { aFolder, commitAll, FLEET, runCli } from './run-cli.ts'

const README = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
/** The first column of its table of commands. */
const namedInReadme = README.split('\n').flatMap((line) =>
  /^\| `/.test(line) ? [...(line.split(' | ')[0] ?? '').matchAll(/`([a-z]+)/g)].map(([, name]) => name) : [],
)

/** Of what `nodewave --help` lists, but its own help. */
const commands = [...(await runCli('/', ['--help'])).stdout.matchAll(/^ {2}([a-z]+) (?=\S*[[<])/gm)]
  .map(([, name = '']) => name)
  .filter((name) => name !== 'help')

test('the help lists every command', () => {
  expect(commands).toHaveLength(27)
})

test.each([
  ['Commands', [], /^help /],
  ['Options', ['controller'], /^-h, --help /],
])('below %s of nodewave %s --help is only help itself: the rest has better headings', async (heading, command, help) => {
  const { stdout } = await runCli('/', [...command, '--help'])
  const [, below = ''] = new RegExp(`^${heading}:\\n((?: .*\\n)*)`, 'm').exec(stdout) ?? []
  expect(below.trim()).toMatch(help)
  expect(below.trim().split('\n')).toHaveLength(1)
})

test.each(commands)('help of %s has an example, and the README names it', async (command) => {
  const { stdout, code } = await runCli('/', [command, '--help'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`Example:\\n  \\$ .*nodewave ${command}\\b`))])
  expect(namedInReadme).toContain(command)
})

test.each(['generate', 'sign'])('help of keys %s has an example', async (command) => {
  const { stdout, code } = await runCli('/', ['keys', command, '--help'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`Example:\\n  \\$ nodewave keys ${command} `))])
})

test('help of the agent has an example of each of its commands', () => {
  const commands = [...AGENT_HELP.matchAll(/^ +nodewave agent ([a-z-]+) /gm)].map(([, name]) => name)
  expect(commands).toEqual(['rebase', 'doctor', 'import', 'security-updates', 'install', 'uninstall'])
  for (const command of commands) expect(AGENT_HELP).toContain(`\n  $ nodewave agent ${command}`)
})

test.each([
  ['install', ['--proof', '--retry', '--host', '--offline', '--node-name'], ['--output', '--trial', '--kubeconfig']],
  ['uninstall', ['--host', '--offline'], ['--output', '--proof', '--retry']],
  ['doctor', ['--output', '--kubeconfig', '--root'], ['--proof', '--retry', '--offline']],
  ['import', ['--node-name', '--root'], ['--output', '--proof', '--kubeconfig']],
  ['security-updates', ['--node-name', '--root'], ['--output', '--proof', '--kubeconfig']],
  ['rebase', ['--state-directory', '--root'], ['--output', '--proof', '--kubeconfig']],
] as const)(
  'agent %s --help prints the usage, the options, an example and the exit codes of this command alone',
  (name, has, lacks) => {
    const { command, topic } = parseAgentArguments([name, '--help'])
    const help = agentHelp(topic)

    expect([command, help.split('\n')[0]]).toEqual(['help', `Usage: nodewave agent ${name} [options]`])
    expect(has.filter((option) => !new RegExp(`^ .*${option} .*\\S`, 'm').test(help))).toEqual([])
    expect(lacks.filter((option) => help.includes(option))).toEqual([])
    expect(help).toMatch(/\nExit codes: 0 .*; 2 an error\.\n\nExamples?:\n {2}\$ nodewave agent /)
    expect(agentHelp(undefined)).toBe(AGENT_HELP)
  },
)

/** What they print is a program for a shell, or an address. */
const printing = commands.filter((command) => !['completion', 'dashboard'].includes(command))

test.each(printing.filter((command) => command !== 'controller'))('%s prints JSON when asked to', async (command) => {
  expect((await runCli('/', [command, '--help'])).stdout).toMatch(/-o, --output <format>[^-]*json/)
})

test.each(printing.filter((command) => command !== 'controller' && command !== 'demo'))(
  '%s prints YAML when asked to',
  async (command) => {
    expect((await runCli('/', [command, '--help'])).stdout).toMatch(/-o, --output <format>[^-]*yaml/)
  },
)

test('help states defaults and choices as the documentation does, and what is off by default not at all', async () => {
  const { stdout } = await runCli('/', ['import', '--help'])
  const help = stdout.replace(/\s+/g, ' ')
  expect(help).toContain('path folder of the new repository. Default: . Options:')
  expect(help).toContain('output format, or jsonpath=TEMPLATE. Choices: text, json, yaml. Default: text')
  expect(help).toMatch(/--force write into a folder that is not empty; files of the same name are written over -o/)
})

test.each([
  [['plam'], "error: unknown command 'plam'\n(Did you mean plan?)\nsee: nodewave --help\n"],
  [['help', 'plam'], "error: unknown command 'plam'\n(Did you mean plan?)\nsee: nodewave --help\n"],
  [['history'], "error: missing required argument 'pool|node'\nsee: nodewave history --help\n"],
  [['keys', 'sgin'], "error: unknown command 'sgin'\n(Did you mean sign?)\nsee: nodewave keys --help\n"],
])('the error of %j names the help that has the answer', async (args, stderr) => {
  expect(await runCli('/', args)).toEqual({ stdout: '', stderr, code: 2 })
})

test('help agent prints the help of the agent', async () => {
  expect(await runCli('/', ['help', 'agent'])).toEqual({ stdout: AGENT_HELP, stderr: '', code: 0 })
})

test('no line of the help is wider than a terminal', async () => {
  const { stdout } = await runCli('/', ['--help'])
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
})

test.each([
  ['plan', 'fleet'],
  ['render', 'fleet'],
  ['simulate', 'fleet'],
  ['explain', 'w-0', '--repo', 'fleet'],
])('%s asks the cluster of the context that is named', async (...args) => {
  const fleet = Object.fromEntries(Object.entries(FLEET).map(([path, text]) => [`fleet/${path}`, text]))
  const repository = await aFolder({ ...fleet, kubeconfig: KUBECONFIG })
  await commitAll(repository)
  const { stderr, code } = await runCli(repository, [...args, '--kubeconfig', 'kubeconfig', '--context', 'other'])
  expect([code, stderr]).toEqual([
    2,
    `error: failed to find context "other" in "${join(repository, 'kubeconfig')}": it has "mine"\n`,
  ])
})

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: mine
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: mine, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
`
