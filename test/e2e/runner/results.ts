/** Times of scenarios and their parts: collected, printed as a table, kept as JSON. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot } from '../build/cache.ts'
import type { Report } from '../scenario.ts'

export interface PartResult {
  readonly name: string
  readonly seconds: number
}

export interface ScenarioResult {
  readonly name: string
  readonly passed: boolean
  readonly seconds: number
  readonly parts: readonly PartResult[]
  readonly error?: string
}

export function createReport(parts: PartResult[], say: (line: string) => void): Report {
  const time = (name: string, milliseconds: number) => {
    const seconds = Math.round(milliseconds) / 1000
    parts.push({ name, seconds })
    say(`${name}  ${seconds.toFixed(2)} s`)
  }
  return {
    say,
    time,
    async part(name, work) {
      const started = performance.now()
      try {
        return await work()
      } finally {
        time(name, performance.now() - started)
      }
    },
  }
}

export function resultTable(results: readonly ScenarioResult[]): string {
  const rows = results.flatMap(({ name, passed, seconds, parts }) => [
    { label: `${passed ? 'passed' : 'FAILED'}  ${name}`, seconds },
    ...parts.map((part) => ({ label: `          ${part.name}`, seconds: part.seconds })),
  ])
  const width = Math.max(0, ...rows.map(({ label }) => label.length))
  return rows.map(({ label, seconds }) => `${label.padEnd(width)}  ${seconds.toFixed(2).padStart(8)} s`).join('\n')
}

/** What failed and why, in one place at the end: whoever reads only the last lines of a log finds it there. */
export function failureList(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ error }) => error !== undefined)
  return failed.map(({ name, error = '' }) => `\nFAILED ${name}: ${error.slice(0, LONGEST_ERROR)}\n`).join('')
}

const LONGEST_ERROR = 2000

/** Gives the path of the file. */
export async function keepResults(results: readonly ScenarioResult[]): Promise<string> {
  const path = process.env.NODEWAVE_E2E_RESULTS ?? join(cacheRoot, 'results', 'latest.json')
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, `${JSON.stringify({ finished: new Date().toISOString(), scenarios: results }, null, 2)}\n`)
  return path
}
