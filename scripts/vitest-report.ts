/** What vitest wrote about a run: how many tests passed and failed, and which failed with what. */
import { readFileSync } from 'node:fs'

export interface Count {
  readonly passed: number
  readonly failed: number
  /** A line each, for the end of a log. */
  readonly failures?: readonly string[]
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numFailedTestSuites: number
  readonly testResults: readonly {
    readonly name: string
    readonly message?: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/** Undefined when the run ended before it wrote one. */
export function countReport(path: string): Count | undefined {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as VitestReport
    const failed = Math.max(report.numFailedTests, report.numFailedTestSuites > 0 ? 1 : 0)
    return { passed: report.numPassedTests, failed, failures: failuresOf(report) }
  } catch {
    return undefined
  }
}

/** A file that could not be loaded has no test that failed. */
function failuresOf({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [`${name}: ${firstLine(message)}`] : []
    return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${firstLine(failureMessages?.[0])}`)
  })
}

function firstLine(text = ''): string {
  return (text.split('\n')[0] ?? '').slice(0, 300)
}
