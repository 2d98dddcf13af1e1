/** What the workflows of the project run is there, and a release has the least rights that it needs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.github/workflows')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }>>
}

const workflows = readdirSync(folder).map((name): [string, Workflow] => [name, parse(readFileSync(join(folder, name), 'utf8'))])
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)

test.each(workflows)('%s runs scripts that the package has', (_, workflow) => {
  const named = stepsOf(workflow).flatMap(({ run = '' }) => [...run.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name))

  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})

test.each(workflows)('%s runs files of scripts/ that are there', (_, workflow) => {
  const named = stepsOf(workflow).flatMap(({ run = '' }) => [...run.matchAll(/\bscripts\/[\w./-]+/g)].map(([path]) => path))

  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each(workflows)('%s grants no right to all of its jobs but to read', (_, { permissions }) => {
  expect(Object.values(permissions).filter((right) => right !== 'read')).toEqual([])
})

test.each(workflows)('%s puts no expression into a script, where a name could become a command', (_, workflow) => {
  expect(stepsOf(workflow).filter(({ run = '' }) => run.includes('${{'))).toEqual([])
})

test('tests run by the script that runs them elsewhere', () => {
  const steps = workflows.filter(([name]) => name === 'test.yaml').flatMap(([, workflow]) => stepsOf(workflow))

  expect(steps.some(({ run = '' }) => run.endsWith('bash .ci/run'))).toBe(true)
})
