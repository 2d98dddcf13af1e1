import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { grafanaDashboard, POOL_QUERY, ROLLOUTS_BEGAN } from '../../scripts/grafana/dashboard.ts'
import { grafanaFiles } from '../../scripts/grafana/files.ts'
import { ROWS } from '../../scripts/grafana/panels.ts'
import { prometheusTelemetry } from '../../src/controller/metrics/prometheus-telemetry.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aNode, aStage, NODES, POOLS } from '../controller/stage.ts'

const root = join(import.meta.dirname, '../..')
const expressions = ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)))
const legends = ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries))
/** What Prometheus adds to each series, and what a histogram has. */
const OF_PROMETHEUS = ['instance', 'le']

/** By metric: the labels that its series have. */
function labelsIn(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined || line.startsWith('#')) continue
    const known = found.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

/** The series of a controller in the middle of a rollout, and after one, which has also evicted pods, notified and failed to read Git. */
async function exposed(): Promise<string> {
  await using stage = await aStage()
  const telemetry = prometheusTelemetry({ version: '1.2.3', elapsed: () => 0, now: () => 0 })
  await stage.addNodes(2)
  await stage.kube.create(NODES, aNodeWithDrift())
  stage.startController({ telemetry })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => (found.get('workers')?.status as { wave?: object } | undefined)?.wave !== undefined)
  const { text: during } = await telemetry.exposed()
  stage.startAgents()
  await stage.completed('a'.repeat(40))
  telemetry.requested({ verb: 'create', resource: 'pods/eviction', code: 429, seconds: 0.1 })
  telemetry.notifies('ops')('sent')
  return `${during}\n${(await telemetry.exposed()).text}`
}

function aNodeWithDrift(): object {
  const report = { phase: 'Applied', since: '', agent: '0.1.0', drift: ['/etc/a'], reboot: { boot: 'b', because: ['kernel'] } }
  return {
    ...aNode('n2', Date.UTC(2026, 10, 21)),
    metadata: {
      name: 'n2',
      labels: { role: 'worker', 'nodewave.io/pool': 'workers' },
      annotations: { 'nodewave.io/status': JSON.stringify(report) },
    },
  }
}

const metricsIn = (expr: string) => [...expr.matchAll(/\b((?:nodewave|process)_\w+)/g)].map(([, name = '']) => name)
const labelsAsked = (expr: string) => [
  ...[...expr.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label),
  ...[...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */)),
]

test('each panel asks for metrics and labels that a controller exposes', async () => {
  const labels = labelsIn(await exposed())
  const wrong = [...expressions, ROLLOUTS_BEGAN, POOL_QUERY].flatMap((expr) => {
    const metrics = metricsIn(expr)
    const known = new Set([...OF_PROMETHEUS, ...metrics.flatMap((name) => [...(labels.get(name) ?? [])])])
    return [
      ...metrics.filter((name) => !labels.has(name)).map((name) => `${name} in ${expr}`),
      ...labelsAsked(expr)
        .filter((label) => !known.has(label))
        .map((label) => `${label} in ${expr}`),
    ]
  })

  expect(expressions.flatMap(metricsIn).length).toBeGreaterThan(30)
  expect(wrong).toEqual([])
})

test('each label of a legend is one that the query keeps', () => {
  const wrong = legends.flatMap(({ expr, legend }) =>
    [...legend.matchAll(/\{\{(\w+)\}\}/g)]
      .filter(([, label = '']) => !labelsAsked(expr).includes(label))
      .map(([text]) => `${text}: ${expr}`),
  )

  expect(wrong).toEqual([])
})

test('every metric of the fleet is on the dashboard', async () => {
  const { text } = await prometheusTelemetry({ version: '1', elapsed: () => 0, now: () => 0 }).exposed()
  const names = [...text.matchAll(/^# TYPE (nodewave_\w+)/gm)].map(([, name = '']) => name)
  const shown = new Set(expressions.flatMap(metricsIn).map((name) => name.replace(/_(bucket|count|sum)$/, '')))

  expect(names.filter((name) => !shown.has(name))).toEqual([])
})

test('no two panels cover each other, and each has an id of its own', () => {
  const { panels } = grafanaDashboard() as { panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[] }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  )

  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test.each([...grafanaFiles()])('%s is as npm run generate writes it', (path, text) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(text)
})
