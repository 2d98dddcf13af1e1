/**
 * `npm run mutate -- --under src/rollout [--sample 100] [--seed 1] [--tests test/rollout,test/exhaustive]`: changes one expression at a
 * time in a copy of the project, and tells which changes no test notices.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../scenarios/random.ts'
import { type Mutant, mutantsOf } from './mutants.ts'

const ROOT = join(import.meta.dirname, '../..')
const COPIED = [
  'src',
  'test',
  'schemas',
  'deploy',
  'examples',
  'docs',
  'bin',
  'scripts',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]
/** A change may make a loop endless. */
const LONGEST_RUN = 15 * 60_000

const { values } = parseArgs({
  options: {
    under: { type: 'string', default: 'src/rollout' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string' },
  },
})

interface Chosen extends Mutant {
  readonly path: string
}

const all = filesUnder(values.under).flatMap((path): Chosen[] =>
  mutantsOf(readFileSync(join(ROOT, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
)
const sample = new Random(Number(values.seed)).shuffled(all).slice(0, Number(values.sample))
const testFiles = filesUnder('test').filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/e2e/'))
const copy = mkdtempSync(join(tmpdir(), 'nodewave-mutation-'))
try {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const failing = stages().find((tests) => !passes(tests))
  if (failing) throw new Error(`${failing.join(' ')} fails without any change`)
  const survivors = sample.filter((mutant) => survives(mutant))
  const killed = sample.length - survivors.length
  console.log(
    `\n${killed} of ${sample.length} killed, of ${all.length} possible changes under ${values.under}, seed ${values.seed}`,
  )
  for (const survivor of survivors) console.log(`  survived: ${describe(survivor)}`)
  process.exitCode = survivors.length > 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** The tests that import the file first: they are quick, and kill most. */
function survives(mutant: Chosen): boolean {
  const original = readFileSync(join(copy, mutant.path), 'utf8')
  writeFileSync(join(copy, mutant.path), mutant.text)
  const killer = [...importersOf(mutant.path), ...stages()].find((tests) => !passes(tests))
  writeFileSync(join(copy, mutant.path), original)
  console.log(`${killer ? 'killed  ' : 'SURVIVED'} ${describe(mutant)}${killer ? ` by ${killer.join(' ')}` : ''}`)
  return killer === undefined
}

function stages(): readonly (readonly string[])[] {
  if (values.tests !== undefined) return values.tests.split(',').map((path) => [path])
  const [, folder = ''] = values.under.split('/')
  return [[`test/${folder}`], ['test/exhaustive'], ['test/scenarios/fast']]
}

/** One stage of all tests that import the file themselves; none when there are none. */
function importersOf(path: string): readonly (readonly string[])[] {
  const importers = testFiles.filter((test) => readFileSync(join(ROOT, test), 'utf8').includes(`/${path}'`))
  return values.tests === undefined && importers.length > 0 ? [importers] : []
}

function passes(tests: readonly string[]): boolean {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', ...tests, '--bail', '1', '--reporter', 'dot', '--maxWorkers', '1']
  return spawnSync(process.execPath, args, { cwd: copy, timeout: LONGEST_RUN, stdio: 'ignore' }).status === 0
}

function describe({ path, line, from, to }: Chosen): string {
  return `${path}:${line} ${from} → ${to === '' ? 'nothing' : to}`
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort()
}
