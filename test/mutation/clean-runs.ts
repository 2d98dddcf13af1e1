import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CallsByTest, FunctionCalls } from './coverage.ts'
import { type Imports, importedBy } from './reach.ts'
import type { PassedFile } from './run-tests.ts'
import { Runner } from './runner.ts'

/** For a test file that has no clean run yet: some are properties with thousands of cases. */
const LONGEST_FILE = 900

/** Few enough that little is lost when somebody ends the command. */
const BATCH = 15

export interface CleanRun extends PassedFile {
  readonly calls: Readonly<Record<string, readonly FunctionCalls[]>>
}

/** How each test file runs without any change, kept until it or a file that it imports changes. */
export class CleanRuns {
  readonly #copy: string
  readonly #imports: Imports
  readonly #runner: Runner
  readonly #known = new Map<string, CleanRun>()
  /** Files that fail without any change. */
  readonly broken = new Set<string>()
  readonly #cache = join(homedir(), '.cache/nodewave-mutation')

  constructor(copy: string, imports: Imports) {
    this.#copy = copy
    this.#imports = imports
    this.#runner = coveringRunner(copy)
    mkdirSync(this.#cache, { recursive: true })
  }

  /** Those of the tests that pass without any change, the shortest first. */
  async passing(tests: readonly string[]): Promise<readonly CleanRun[]> {
    for (const test of tests.filter((each) => !this.#known.has(each))) this.#load(test)
    for (let left = this.#missing(tests); left.length > 0; left = this.#missing(tests)) {
      await this.#measure(left.slice(0, BATCH))
    }
    return tests.flatMap((test) => this.#known.get(test) ?? []).sort((a, b) => a.milliseconds - b.milliseconds)
  }

  /** What every test that was run called in a file. */
  callsIn(path: string): CallsByTest {
    return new Map([...this.#known.values()].flatMap(({ test, calls }) => (calls[path] ? [[test, calls[path]] as const] : [])))
  }

  stop(): void {
    this.#runner.stop()
  }

  #missing(tests: readonly string[]): readonly string[] {
    return tests.filter((test) => !this.#known.has(test) && !this.broken.has(test))
  }

  async #measure(tests: readonly string[]): Promise<void> {
    const { passed, failed, file } = await this.#runner.run({ changed: [], tests, seconds: LONGEST_FILE, idleSeconds: 300 })
    for (const each of passed) this.#keep(each)
    const broken = file ?? (failed === undefined ? undefined : tests.find((test) => !this.#known.has(test)))
    if (broken === undefined) return
    this.broken.add(broken)
    console.log(`  left out, it fails without any change: ${failed}`)
  }

  #keep(passed: PassedFile): void {
    const calls = JSON.parse(readFileSync(join(this.#copy, '.calls', `${passed.test}.json`), 'utf8')) as CleanRun['calls']
    const run = { ...passed, calls }
    this.#known.set(passed.test, run)
    writeFileSync(this.#fileOf(passed.test), JSON.stringify(run))
  }

  #load(test: string): void {
    try {
      this.#known.set(test, JSON.parse(readFileSync(this.#fileOf(test), 'utf8')) as CleanRun)
    } catch {
      // It has not run yet with these files.
    }
  }

  #fileOf(test: string): string {
    const hash = createHash('sha256')
    for (const path of importedBy(test, this.#imports)) hash.update(path).update(readFileSync(join(this.#copy, path)))
    return join(this.#cache, `${hash.digest('hex')}.json`)
  }
}

function coveringRunner(copy: string): Runner {
  const setup = ['test/properties/setup.ts', 'test/mutation/coverage-setup.ts']
  return new Runner(copy, { NODEWAVE_MUTATION_COVERAGE: join(copy, '.calls'), NODEWAVE_MUTATION_SETUP: setup.join(' ') })
}
