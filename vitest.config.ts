import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { findKubectl } from './test/contract/find-kubectl.ts'
import { LongestFirst } from './test/longest-first.ts'

/** Set by scripts/ci.ts, which adds the counts of all suites up. */
const report = process.env.NODEWAVE_TEST_REPORT

/** The only suite that needs a program which npm does not install. */
const needsKubectl = 'test/contract/kubectl.test.ts'
/** Files that belong to somebody else, and processes of somebody else: only root can make them. */
const needsRoot = 'test/agent/strangers/**'
const leftOut = [
  ...leave(needsKubectl, findKubectl() ? undefined : 'there is no kubectl on the PATH'),
  ...leave(needsRoot, notRoot()),
]

function leave(suite: string, because: string | undefined): string[] {
  if (because !== undefined) console.warn(`left out: ${suite}, because ${because}`)
  return because === undefined ? [] : [suite]
}

function notRoot(): string | undefined {
  return process.geteuid?.() === 0 ? undefined : 'only root can run it'
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**', ...leftOut],
    setupFiles: ['test/properties/setup.ts'],
    // To start a program copies the page tables of the process that starts it: 3 GB of one for all tests cost 75 ms, each time.
    pool: 'forks',
    // Loading modules again for each file took more than half of the time. No test leaves anything behind in its process;
    // `vitest run --isolate` tells whether one that fails does.
    isolate: false,
    // One more than there are cores: some tests wait for programs.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Against tests that hang. On a machine that has five times as much to do as it can, a test of 3 s takes 20.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
