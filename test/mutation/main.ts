/**
 * `npm run mutate -- --under src/rollout [--sample 100] [--seed 1] [--minutes 30] [--quick]`: changes one expression at a time in a copy
 * of the project, and tells which changes no test notices. `--quick` leaves the slow suites out; `--minutes` ends the sample early.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../scenarios/random.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { importsOf, stagesFor } from './reach.ts'
import { Runner } from './runner.ts'

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
/** Run only when all others pass. */
const SLOW = ['test/exhaustive', 'test/scenarios/fast']
/** In seconds of CPU for one test file, so that a busy machine kills nothing: a change may make a loop endless. */
const LONGEST_FILE = { quick: 200, slow: 900 }

const { values } = parseArgs({
  options: {
    under: { type: 'string', default: 'src/rollout' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    quick: { type: 'boolean', default: false },
  },
})

interface Chosen extends Mutant {
  readonly path: string
}

const imports = new Map(
  [...filesUnder('src'), ...filesUnder('test')]
    .filter((path) => !path.startsWith('test/e2e/'))
    .map((path) => [path, importsOf(path, readFileSync(join(ROOT, path), 'utf8'))]),
)
const all = filesUnder(values.under).flatMap((path): Chosen[] =>
  mutantsOf(readFileSync(join(ROOT, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
)
const sample = new Random(Number(values.seed)).shuffled(all).slice(0, Number(values.sample))
const begun = Date.now()
/** How long each test file takes without any change. */
const durations = new Map<string, number>()
let lastChanged: string | undefined
const copy = mkdtempSync(join(tmpdir(), 'nodewave-mutation-'))
const runner = new Runner(copy)
try {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const quickTests = new Set(sample.flatMap(({ path }) => stagesFor(path, imports, SLOW).flat()).filter((test) => !isSlow(test)))
  const clean = await runner.run({ changed: [], tests: [...quickTests], seconds: LONGEST_FILE.quick })
  if (clean.failed !== undefined) throw new Error(`${clean.failed} fails without any change`)
  for (const [test, milliseconds] of clean.milliseconds) durations.set(test, milliseconds)
  console.log(`${quickTests.size} test files pass without any change, after ${secondsSince(begun)} s`)
  report(await runAll())
} finally {
  runner.stop()
  rmSync(copy, { recursive: true, force: true })
}

interface Outcome {
  readonly run: number
  readonly survivors: readonly Chosen[]
}

async function runAll(): Promise<Outcome> {
  const survivors: Chosen[] = []
  const first = Date.now()
  for (const [index, mutant] of sample.entries()) {
    if (Date.now() - begun > Number(values.minutes) * 60_000) return { run: index, survivors }
    if (await survives(mutant)) survivors.push(mutant)
    const left = Math.round((secondsSince(first) / (index + 1)) * (sample.length - index - 1))
    console.log(`  ${index + 1} of ${sample.length}, ${survivors.length} survived, about ${left} s left`)
  }
  return { run: sample.length, survivors }
}

function report({ run, survivors }: Outcome): void {
  const of = `of ${sample.length} chosen, of ${all.length} possible changes under ${values.under}, seed ${values.seed}`
  console.log(`\n${run - survivors.length} of ${run} killed, ${of}, ${secondsSince(begun)} s`)
  for (const survivor of survivors) console.log(`  survived: ${describe(survivor)}`)
  process.exitCode = survivors.length > 0 ? 1 : 0
}

async function survives(mutant: Chosen): Promise<boolean> {
  const original = readFileSync(join(copy, mutant.path), 'utf8')
  writeFileSync(join(copy, mutant.path), mutant.text)
  const since = Date.now()
  const killer = await firstFailing(stagesFor(mutant.path, imports, values.quick ? [] : SLOW), mutant.path)
  writeFileSync(join(copy, mutant.path), original)
  lastChanged = mutant.path
  console.log(`${killer ? 'killed  ' : 'SURVIVED'} ${describe(mutant)}${killer ? ` by ${killer}` : ''}, ${secondsSince(since)} s`)
  return killer === undefined
}

function isSlow(test: string): boolean {
  return SLOW.some((suite) => test.startsWith(`${suite}/`))
}

async function firstFailing(stages: readonly (readonly string[])[], changed: string): Promise<string | undefined> {
  for (const stage of stages) {
    const seconds = stage.some(isSlow) ? LONGEST_FILE.slow : LONGEST_FILE.quick
    const tests = stage.toSorted((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0))
    const { failed } = await runner.run({
      changed: [changed, lastChanged ?? changed].map((path) => join(copy, path)),
      tests,
      seconds,
    })
    if (failed !== undefined) return failed
  }
  return undefined
}

function secondsSince(time: number): number {
  return Math.round((Date.now() - time) / 1000)
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
