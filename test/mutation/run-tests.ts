/**
 * One vitest for all mutants, which main.ts starts in the copy: to start a new one costs more than most tests. A message names the
 * files that changed and the tests to run; the answer tells which test failed first.
 */
import { inspect } from 'node:util'
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node'
import { Progress } from './progress.ts'

export interface TestOrder {
  readonly changed: readonly string[]
  /** Run in this order, until one fails. */
  readonly tests: readonly string[]
  /** Of CPU without the end of a test file, so that a busy machine ends nothing: a change may make a loop endless. */
  readonly seconds: number
  /** The same for single test files. */
  readonly limits?: Readonly<Record<string, number>>
  /** After so many seconds in which it used no CPU, a test file waits for what never comes. Default: 60 */
  readonly idleSeconds?: number
}

/** Asks for the code that runs for a source file. */
export interface CodeOrder {
  readonly codeOf: string
}

export interface PassedFile {
  readonly test: string
  readonly milliseconds: number
  /** Seconds of CPU of the whole process meanwhile. */
  readonly cpu: number
}

export interface TestResult {
  readonly failed?: string
  /** The file of the first failing test. */
  readonly file?: string
  /** Something never ends: this process is of no use any more. */
  readonly isStuck?: true
  readonly passed: readonly PassedFile[]
}

class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

const progress = new Progress()
const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  // A busy machine would kill mutants by the clock; what never ends is ended by its CPU.
  testTimeout: 0,
  hookTimeout: 0,
  ...(process.env.NODEWAVE_MUTATION_SETUP && { setupFiles: process.env.NODEWAVE_MUTATION_SETUP.split(' ') }),
  reporters: [
    {
      onTestModuleStart: ({ relativeModuleId }) => progress.began(relativeModuleId),
      onTestModuleEnd: ({ relativeModuleId }) => progress.ended(relativeModuleId),
    },
  ],
  sequence: { sequencer: AsGiven },
})

process.on('message', async (order: TestOrder | CodeOrder) => {
  process.send?.('codeOf' in order ? await codeOf(order.codeOf) : await run(order))
})

async function codeOf(path: string): Promise<string> {
  vitest.invalidateFile(path)
  return (await vitest.vite.environments.ssr.transformRequest(path))?.code ?? ''
}

async function run({ changed, tests, seconds, limits = {}, idleSeconds = 60 }: TestOrder): Promise<TestResult> {
  progress.restart()
  const stuck = Promise.withResolvers<TestResult>()
  const limit = setInterval(() => {
    const [file] = progress.under
    const cause = progress.isOver(limits[file ?? ''] ?? seconds) ?? progress.isIdle(idleSeconds)
    if (cause === undefined) return
    stuck.resolve({ failed: `${file ?? 'loading'}: ${cause}`, isStuck: true, passed: [], ...(file !== undefined && { file }) })
  }, 1000)
  for (const path of changed) vitest.invalidateFile(path)
  const found = await vitest.globTestSpecifications([...tests])
  const specifications = tests.flatMap((test) => found.filter(({ moduleId }) => moduleId.endsWith(`/${test}`)))
  const result = await Promise.race([stuck.promise, outcomeOf(specifications)])
  clearInterval(limit)
  return result
}

async function outcomeOf(specifications: TestSpecification[]): Promise<TestResult> {
  const { testModules: known, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  // It knows those of earlier runs, too, with what came of them then.
  const testModules = known.filter(({ moduleId }) => specifications.some((each) => each.moduleId === moduleId))
  const passed = testModules
    .filter((module) => module.state() === 'passed')
    .map((module) => passedFile(module, progress.cpuOf(module.relativeModuleId)))
  const broken = testModules.find((module) => module.state() === 'failed')
  if (broken) return { passed, failed: nameOf(broken), file: broken.relativeModuleId }
  const outside = specifications.length === 0 ? 'no test was found' : unhandledErrors.map(textOf)[0]
  return { passed, ...(outside !== undefined && { failed: `an error outside of tests (${outside})` }) }
}

function passedFile(module: TestModule, cpu: number): PassedFile {
  return { test: module.relativeModuleId, milliseconds: Math.round(module.diagnostic().duration), cpu }
}

function nameOf(module: TestModule): string {
  const [first] = module.children.allTests('failed')
  return `${module.relativeModuleId}: ${first?.fullName ?? 'does not load'}`
}

/** Errors come from another thread, as objects that are none and cannot become a text by themselves. */
function textOf(error: unknown): string {
  const { stack, message } = Object(error) as { readonly stack?: unknown; readonly message?: unknown }
  return typeof stack === 'string' ? stack : typeof message === 'string' ? message : inspect(error)
}
