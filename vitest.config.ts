import { defineConfig } from 'vitest/config'
import { findKubectl } from './test/contract/find-kubectl.ts'

/** Set by scripts/ci.ts, which adds the counts of all suites up. */
const report = process.env.NODEWAVE_TEST_REPORT

/** The only suite that needs a program which npm does not install. */
const needsKubectl = 'test/contract/kubectl.test.ts'
const leftOut = findKubectl() ? [] : [needsKubectl]
if (leftOut.length > 0) console.warn(`left out: ${needsKubectl}, because there is no kubectl on the PATH`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**', ...leftOut],
    setupFiles: ['test/properties/setup.ts'],
    pool: 'threads',
    testTimeout: 20_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
})
