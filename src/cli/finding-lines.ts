import type { Finding } from '../agent/doctor/finding.ts'
import { printable } from './printable.ts'

/** A line each, and what to do below it. */
export function findingLines(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, state, message, remedy }) => {
      const line = `${state.padEnd(7)}  ${check.padEnd(width)}  ${printable(message)}\n`
      return remedy === undefined ? line : `${line}${' '.repeat(9)}${' '.repeat(width)}  → ${remedy}\n`
    })
    .join('')
}
