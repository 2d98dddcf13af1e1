import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { metricsText } from '../../src/agent/state/metrics-file.ts'
import { prometheusTelemetry } from '../../src/controller/metrics/prometheus-telemetry.ts'

const page = await readFile('docs/metrics.md', 'utf8')

async function exposedNames(): Promise<string[]> {
  const { text } = await prometheusTelemetry({ version: '1', elapsed: () => 0, now: () => 0 }).exposed()
  const ofAgent = metricsText({ phase: 'Applied', since: '' })
  return [...`${text}${ofAgent}`.matchAll(/^# TYPE (nodewave_\w+)/gm)].map(([, name]) => name ?? '').sort()
}

test('the page on metrics has every metric, and no other', async () => {
  const documented = [...page.matchAll(/^\| `(nodewave_\w+)`/gm)].map(([, name]) => name ?? '').sort()
  expect(documented).toEqual(await exposedNames())
})

test('alerts and questions ask for metrics that there are', async () => {
  const names = await exposedNames()
  const rules = await readFile('deploy/prometheus.yaml', 'utf8')
  const expressions = parseAllDocuments(rules).flatMap((document) => [...document.toString().matchAll(/nodewave_\w+/g)])
  const asked = [...expressions, ...page.matchAll(/nodewave_\w+/g)].map(([name]) => name.replace(/_(bucket|count)$/, ''))
  expect([...new Set(asked)].filter((name) => !names.includes(name))).toEqual([])
})
