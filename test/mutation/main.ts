/** `npm run mutate`: changes one expression at a time in a copy of the project, and tells which changes no test notices. */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandLine, numberOption } from '../command-line.ts'
import { Random } from '../scenarios/random.ts'
import { type CleanRun, CleanRuns } from './clean-runs.ts'
import { firstDifference, testsCalling } from './coverage.ts'
import { lastDurations } from './durations.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { importsOf, stagesFor } from './reach.ts'
import { Runner } from './runner.ts'
import { sampleByFolder } from './sample.ts'

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
/** Of CPU: a change may make a loop endless. A busy machine takes longer, but uses the CPU no more. */
const limitOf = ({ cpu }: CleanRun): number => Math.ceil(10 + 10 * cpu)
/** Of a test file that has no clean run. */
const unknownRun = (test: string): CleanRun => ({ test, milliseconds: 0, cpu: 6, calls: {} })
/** So many test files are run without asking which of them call the changed function. */
const FEW = 30

/** Milliseconds. */
const LONG = 15_000

interface Options {
  readonly under: string
  readonly sample: number
  readonly seed: number
  readonly minutes: number
  readonly quick?: boolean
  readonly only?: readonly string[]
}

const options = commandLine(
  'mutate',
  'Changes of one expression that no test notices.',
  '--under src/agent/loop --sample 40 --quick',
)
  .option('--under <folder>', 'the folder whose files are changed', 'src/rollout')
  .addOption(numberOption('--sample <count>', 'how many changes').default(100))
  .addOption(numberOption('--seed <seed>', 'another sample').default(1))
  .addOption(numberOption('--minutes <count>', 'begin no further run after that time').default(600))
  .option('--quick', 'without the longest tests')
  .option('--only <file:line...>', 'all changes of these lines instead of a sample')
  .parse()
  .opts<Options>()

interface Chosen extends Mutant {
  readonly path: string
}

interface Outcome {
  readonly killer?: string
  /** Of the killer. */
  readonly file?: string
  readonly tests: number
}

const imports = new Map(
  [...filesUnder('src'), ...filesUnder('test')]
    .filter((path) => !path.startsWith('test/e2e/'))
    .map((path) => [path, importsOf(path, readFileSync(join(ROOT, path), 'utf8'))]),
)
const all = filesUnder(options.under).flatMap((path): Chosen[] =>
  mutantsOf(readFileSync(join(ROOT, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
)
const sample = options.only
  ? all.filter(({ path, line }) => options.only?.includes(`${path}:${line}`))
  : sampleByFolder(all, options.sample, new Random(options.seed))
const durations = lastDurations(ROOT)
const begun = Date.now()
let lastChanged: string | undefined
const copy = mkdtempSync(join(tmpdir(), 'nodewave-mutation-'))
for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
const runner = new Runner(copy)
const cleanRuns = new CleanRuns(copy, imports)
try {
  await runAll()
} finally {
  runner.stop()
  cleanRuns.stop()
  rmSync(copy, { recursive: true, force: true })
}

/** A step for all mutants before the next step for those that are left: what comes late in the list has a result early. */
async function runAll(): Promise<void> {
  let left: readonly Chosen[] = sample
  let step = 0
  for (; left.some((mutant) => stagesOf(mutant).length > step) && !isOver(); step++) left = await survivorsOf(left, step)
  const of = `of ${sample.length} chosen, of ${all.length} possible changes under ${options.under}, seed ${options.seed}`
  console.log(`\n${sample.length - left.length} killed, ${of}, ${secondsSince(begun)} s${isOver() ? ', ended early' : ''}`)
  for (const survivor of left) console.log(`  survived: ${describe(survivor)}`)
  process.exitCode = left.length > 0 ? 1 : 0
}

async function survivorsOf(mutants: readonly Chosen[], step: number): Promise<readonly Chosen[]> {
  const killers = new Map<Chosen, string>()
  for (const [index, mutant] of mutants.entries()) {
    if (stagesOf(mutant)[step]?.length === 0) continue
    const since = Date.now()
    const { killer, file, tests } = isOver() ? { tests: 0 } : await outcomeOf(mutant, step)
    if (killer !== undefined) killers.set(mutant, file ?? '')
    const fate = killer === undefined ? `lives    ${describe(mutant)}` : `killed   ${describe(mutant)} by ${killer}`
    console.log(`step ${step + 1}, ${index + 1} of ${mutants.length}: ${fate}, ${tests} test files, ${secondsSince(since)} s`)
  }
  // What fails without any change has killed nothing.
  await cleanRuns.passing([...new Set(killers.values())].filter((file) => file !== ''))
  return mutants.filter((mutant) => cleanRuns.broken.has(killers.get(mutant) ?? '') || !killers.has(mutant))
}

/** The tests that import a file need no choice: they are few, and most mutants end there. */
async function outcomeOf(mutant: Chosen, step: number): Promise<Outcome> {
  const stage = stagesOf(mutant)[step] ?? []
  return killedBy(mutant, step > 0 || stage.length > FEW ? await testsThatCall(mutant, stage) : stage.map(unknownRun))
}

function stagesOf({ path }: Chosen): readonly (readonly string[])[] {
  const isLong = (test: string): boolean => (durations.get(test) ?? 0) > LONG
  const stages = stagesFor(path, imports, { slow: SLOW, isLong })
  return options.quick ? stages.filter((tests) => !tests.some((test) => isLong(test) || isSlow(test))) : stages
}

async function testsThatCall(mutant: Chosen, stage: readonly string[]): Promise<readonly CleanRun[]> {
  const passing = await cleanRuns.passing(stage)
  const offset = await offsetOf(mutant)
  const calling = testsCalling(offset, cleanRuns.callsIn(mutant.path))
  return passing.filter(({ test }) => calling?.includes(test) ?? true)
}

async function killedBy(mutant: Chosen, tests: readonly CleanRun[]): Promise<Outcome> {
  if (tests.length === 0) return { tests: 0 }
  const order = {
    changed: [mutant.path, lastChanged ?? mutant.path].map((path) => join(copy, path)),
    tests: tests.map(({ test }) => test).sort((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0)),
    limits: Object.fromEntries(tests.map((run) => [run.test, limitOf(run)])),
    seconds: 30,
    idleSeconds: 60 + Math.ceil((tests.at(-1)?.milliseconds ?? 0) / 1000),
  }
  lastChanged = mutant.path
  const { failed, file } = await changed(mutant, () => runner.run(order))
  return { tests: tests.length, ...(failed !== undefined && { killer: failed }), ...(file !== undefined && { file }) }
}

/** Where the change is in the code that runs. */
async function offsetOf(mutant: Chosen): Promise<number> {
  const path = join(copy, mutant.path)
  const clean = await runner.codeOf(path)
  return await changed(mutant, async () => firstDifference(clean, await runner.codeOf(path)))
}

async function changed<T>(mutant: Chosen, work: () => Promise<T>): Promise<T> {
  const path = join(copy, mutant.path)
  const original = readFileSync(path, 'utf8')
  writeFileSync(path, mutant.text)
  try {
    return await work()
  } finally {
    writeFileSync(path, original)
  }
}

function isOver(): boolean {
  return Date.now() - begun > options.minutes * 60_000
}

function isSlow(test: string): boolean {
  return SLOW.some((suite) => test.startsWith(`${suite}/`))
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
