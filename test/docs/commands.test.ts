/** Every command and option of nodewave that the documentation shows is there. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AGENT_HELP } from '../../src/cli/agent-arguments.ts'
import { agentHelp } from '../../src/cli/agent-help.ts'
import { runCli } from '../cli/run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = ['README.md', 'CONTRIBUTING.md', ...globSync(['docs/**/*.md', 'examples/**/*.md'], { cwd: ROOT }).sort()]
const NAMES = [...(await runCli('/', ['--help'])).stdout.matchAll(/^ {2}([a-z]+) (?=\S*[[<])/gm)].map(([, name = '']) => name)

const helps = new Map<string, string>([['agent', AGENT_HELP]])
for (const name of ['rebase', 'doctor', 'import', 'security-updates', 'install', 'uninstall'] as const)
  helps.set(`agent ${name}`, agentHelp(name))
for (const name of NAMES) helps.set(name, (await runCli('/', [name, '--help'])).stdout)
for (const name of ['generate', 'sign']) helps.set(`keys ${name}`, (await runCli('/', ['keys', name, '--help'])).stdout)

interface Shown {
  readonly place: string
  readonly words: readonly string[]
}

/** `nodewave plan …` of lines of blocks and of code in text, each up to what ends a command. */
function commandsIn(page: string): Shown[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/\\\n\s*/g, ' ')
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/(?:^|[`$(\s])(?:npx |kubectl )?nodewave ((?:[^`|;&#()]|\$\()+)/g)].map(([, rest = '']) => ({
      place: `${page}:${index + 1}`,
      words: rest.trim().split(/\s+/),
    })),
  )
}

function helpOf([command = '', subcommand = '']: readonly string[]): string | undefined {
  return helps.get(`${command} ${subcommand}`) ?? helps.get(command)
}

const shown = PAGES.flatMap(commandsIn).filter(({ words }) => helpOf(words) !== undefined)

test('the pages show commands', () => {
  expect(shown.length).toBeGreaterThan(200)
})

test('options that the pages show of a command are in its help', () => {
  const missing = shown.flatMap(({ place, words }) => {
    const options = words.flatMap((word) => /^\[?(--[a-z][a-z-]*)/.exec(word)?.[1] ?? [])
    return options
      .filter((option) => !new RegExp(`${option}\\b(?!-)`).test(helpOf(words) ?? ''))
      .map((option) => `${place} ${words[0]} ${option}`)
  })
  expect(missing).toEqual([])
})
