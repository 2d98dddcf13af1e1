/**
 * One vitest for all mutants, which main.ts starts in the copy: to start a new one costs more than most tests. A message names the
 * files that changed and the tests to run; the answer tells which test file failed first.
 */
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'

export interface TestOrder {
  readonly changed: readonly string[]
  /** Run in this order, until one fails. */
  readonly tests: readonly string[]
  /** Of CPU without the end of a test file, so that a busy machine ends nothing: a change may make a loop endless. */
  readonly seconds: number
}

export interface TestResult {
  readonly failed?: string
  readonly milliseconds: readonly (readonly [test: string, milliseconds: number])[]
}

class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

/** When a test file ended last. */
let progress = process.cpuUsage()
const noteProgress = (): void => {
  progress = process.cpuUsage()
}

const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  maxWorkers: 1,
  // A busy machine would kill mutants by the clock; what never ends is ended by its CPU.
  testTimeout: 0,
  hookTimeout: 0,
  reporters: [{ onTestModuleEnd: noteProgress }],
  sequence: { sequencer: AsGiven },
})

process.on('message', async ({ changed, tests, seconds }: TestOrder) => {
  noteProgress()
  const limit = setInterval(() => exitAfter(seconds), 1000)
  for (const path of changed) vitest.invalidateFile(path)
  const found = await vitest.globTestSpecifications([...tests])
  const specifications = tests.flatMap((test) => found.filter(({ moduleId }) => moduleId.endsWith(`/${test}`)))
  const { testModules: known, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  clearInterval(limit)
  // It knows those of earlier runs, too, with what came of them then.
  const testModules = known.filter(({ moduleId }) => specifications.some((each) => each.moduleId === moduleId))
  const milliseconds = testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration] as const)
  const broken = testModules.find((module) => module.state() === 'failed')?.relativeModuleId
  const outside = specifications.length === 0 ? 'no test was found' : unhandledErrors.map(String)[0]
  const failed = broken ?? (outside === undefined ? undefined : `an error outside of tests (${outside})`)
  process.send?.({ milliseconds, ...(failed !== undefined && { failed }) } satisfies TestResult)
})

function exitAfter(seconds: number): void {
  const { user, system } = process.cpuUsage(progress)
  if (user + system > seconds * 1e6) process.exit(1)
}
