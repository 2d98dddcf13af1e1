import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runCli } from '../cli/run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const { stdout: help } = await runCli('/', ['plan', '--help'])

/** Texts that CI runs. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (typeof value !== 'object' || value === null) return []
  const { run, script, ...others } = value as Record<string, unknown>
  return [run, script]
    .flat()
    .filter((text) => typeof text === 'string')
    .concat(commandsIn(Object.values(others)))
}

test.each([
  'actions/plan/action.yml',
  'examples/ci/github/plan.yml',
  'examples/ci/gitea/plan.yml',
  'examples/ci/gitlab/plan.gitlab-ci.yml',
])('%s passes options that plan has', (path) => {
  const plans = commandsIn(parse(read(path))).filter((command) => /\bplan\b.*--pr/.test(command))
  expect(plans).toHaveLength(path.includes('github') ? 0 : 1)
  for (const [option] of plans.join('\n').matchAll(/--[a-z-]+/g)) expect(help).toContain(option)
})

test.each(['examples/ci/github/plan.yml', 'examples/ci/gitea/plan.yml'])(
  '%s takes the workflow from the target branch, and checks out nothing of the pull request',
  (path) => {
    const { on, jobs } = parse(read(path))
    expect(on).toEqual({
      pull_request_target: { branches: ['main'], types: ['opened', 'synchronize', 'reopened', 'edited'] },
    })
    const checkouts = jobs.plan.steps.filter(({ uses }: { uses?: string }) => uses?.startsWith('actions/checkout'))
    expect(checkouts).toEqual([{ uses: 'actions/checkout@v5', with: { 'persist-credentials': false } }])
  },
)

test('inputs of the GitHub action reach the command as variables only', () => {
  const { inputs, runs } = parse(read('actions/plan/action.yml'))
  expect(commandsIn(runs).join('\n')).not.toContain('${{')
  const passed = JSON.stringify(runs.steps.map(({ env }: { env?: unknown }) => env ?? {}))
  for (const name of Object.keys(inputs)) expect(passed).toContain(`inputs.${name} `)
})

test('the GitHub example states inputs that the action has', () => {
  const { inputs } = parse(read('actions/plan/action.yml'))
  const steps: readonly { uses?: string; with?: object }[] = parse(read('examples/ci/github/plan.yml')).jobs.plan.steps
  const given = steps.find(({ uses }) => uses?.includes('nodewave'))?.with ?? {}
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
})
