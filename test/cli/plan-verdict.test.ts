import { expect, test } from 'vitest'
import { planVerdict } from '../../src/cli/plan/plan-verdict.ts'
import type { PlanView } from '../../src/cli/plan-view.ts'

function verdictOf(needs: 'retry' | 'resume' | undefined, touched: readonly string[]): string {
  const runs = { text: '', notes: [], ...(needs && { needs }) }
  const pool = { pool: 'workers', nodes: ['n1', 'n2'], touched, problems: [], refusals: [], disruption: 'restart', runs }
  return planVerdict({ pools: [pool], contested: [], held: [] } as unknown as PlanView).text
}

test('a verdict names the operator action without which a pool does not begin', () => {
  expect(verdictOf('retry', ['n1'])).toBe('1 of 2 nodes changes, greatest disruption: restart; needs nodewave retry workers')
  expect(verdictOf('resume', ['n1', 'n2'])).toContain('; needs nodewave resume workers')
  expect(verdictOf(undefined, ['n1'])).not.toContain('needs')
  expect(verdictOf('retry', [])).toBe('no node changes')
})
