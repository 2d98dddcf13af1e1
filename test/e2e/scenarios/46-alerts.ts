/** Alert rules and dashboard, judged by Prometheus' own promtool: each alert fires when it should, and each panel has values. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { buildBinaries } from '../build/binaries.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { output } from '../exec.ts'
import { checkout } from '../product/checkout.ts'
import { panelTests } from '../product/panel-tests.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'alerts', nodes: [], builds: ['promtool'], run: alertsFire }]

interface Rule {
  readonly alert: string
  readonly annotations: { readonly summary: string }
  readonly labels: Readonly<Record<string, string>>
}

interface Case {
  readonly alert: string
  /** Series → values, a minute apart, as promtool writes them. */
  readonly input: Readonly<Record<string, string>>
  readonly at: string
  /** Labels of the series in the alert. */
  readonly labels?: Readonly<Record<string, string>>
  /** What its summary reads then; absent: the text of the rule. */
  readonly summary?: string
  readonly silent?: boolean
}

const stalled = { pool: 'workers', reason: 'BudgetUsedUp' }
const cases: readonly Case[] = [
  { alert: 'NodewaveNobodyLeads', input: { 'nodewave_leading{pod="a"}': '0x10', 'nodewave_leading{pod="b"}': '0x10' }, at: '6m' },
  {
    alert: 'NodewaveNobodyLeads',
    input: { 'nodewave_leading{pod="a"}': '0x10', 'nodewave_leading{pod="b"}': '1x10' },
    at: '6m',
    silent: true,
  },
  {
    alert: 'NodewavePoolStalled',
    input: { 'nodewave_pool_condition{pool="workers",type="Stalled",status="True",reason="BudgetUsedUp"}': '1x20' },
    at: '15m',
    labels: stalled,
    summary: 'Pool workers cannot go on: BudgetUsedUp. Ask: nodewave status workers',
  },
  {
    alert: 'NodewavePoolStalled',
    input: { 'nodewave_pool_condition{pool="workers",type="Stalled",status="True",reason="Paused"}': '1x20' },
    at: '15m',
    silent: true,
  },
  {
    alert: 'NodewaveNodesFailed',
    input: { 'nodewave_pool_failed_nodes{pool="workers"}': '3x10' },
    at: '6m',
    labels: { pool: 'workers' },
    summary: 'Nodes of pool workers failed: 3. Ask: nodewave status workers',
  },
  { alert: 'NodewaveRepositoryUnreadable', input: { 'nodewave_git_readable{pod="a"}': '0x20' }, at: '16m' },
  { alert: 'NodewaveRepositoryUnreadable', input: { 'nodewave_git_readable{pod="a"}': '0x5 1x15' }, at: '16m', silent: true },
  { alert: 'NodewavePassesFail', input: { 'nodewave_pass_failures_total{pod="a"}': '0+6x30' }, at: '25m' },
  { alert: 'NodewaveChangesWait', input: passWaits({ '10': '0+1x30', '60': '0+9x30' }), at: '26m' },
  { alert: 'NodewaveChangesWait', input: passWaits({ '10': '0+19x30', '60': '0+20x30' }), at: '26m', silent: true },
  {
    alert: 'NodewaveNotificationsFail',
    input: { 'nodewave_notifications_total{pod="a",channel="ops",result="failed"}': '0x5 1+0.1x60' },
    at: '50m',
    labels: { channel: 'ops' },
    summary: 'Notifications to channel ops cannot be sent; the log of the controller says why.',
  },
  {
    alert: 'NodewaveNotificationsFail',
    input: {
      'nodewave_notifications_total{pod="a",channel="ops",result="sent"}': '0+1x60',
      'nodewave_notifications_total{pod="a",channel="ops",result="failed"}': '0x5 3x60',
    },
    at: '40m',
    silent: true,
  },
  {
    alert: 'NodewavePausedForLong',
    input: { 'nodewave_pool_paused{pool="workers"}': '1x1500' },
    at: '24h1m',
    labels: { pool: 'workers' },
    summary: 'Pool workers has been paused for a day.',
  },
]

/** @param under so many changes have waited for less than so many seconds; none for more than a minute */
function passWaits(under: Readonly<Record<'10' | '60', string>>): Readonly<Record<string, string>> {
  const series = Object.entries({ ...under, '+Inf': under['60'] })
  return Object.fromEntries(series.map(([le, values]) => [`nodewave_pass_wait_seconds_bucket{pod="a",le="${le}"}`, values]))
}

async function alertsFire({ slot }: Cluster, { part }: Report): Promise<void> {
  const promtool = (await buildBinaries(['promtool'], () => undefined))('promtool')
  const folder = join(slot.dir, 'alerts')
  await mkdir(folder)
  const groups = await ruleGroups()
  const rules = groups.flatMap((group) => group.rules)
  const without = rules.filter(({ alert }) => !cases.some((each) => each.alert === alert && !each.silent))
  check('each alert has a case in which it fires', without.length === 0, without)
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups }))
  await writeFile(
    join(folder, 'cases.yaml'),
    stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: cases.map((each) => testOf(each, rules)) }),
  )
  await part('promtool check rules', () =>
    output(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml'], { cwd: folder }),
  )
  await part('promtool test rules', () => output(promtool, ['test', 'rules', 'cases.yaml'], { cwd: folder }))
  await writeFile(join(folder, 'panels.yaml'), stringify({ evaluation_interval: '1m', tests: [panelTests()] }))
  await part('each panel of the dashboard has values', () => output(promtool, ['test', 'rules', 'panels.yaml'], { cwd: folder }))
}

async function ruleGroups(): Promise<readonly { readonly rules: readonly Rule[] }[]> {
  const documents = parseAllDocuments(await readFile(join(checkout, 'deploy/prometheus.yaml'), 'utf8')).map((each) =>
    each.toJSON(),
  )
  return documents.find(({ kind }) => kind === 'PrometheusRule').spec.groups
}

function testOf({ alert, input, at, labels = {}, summary, silent = false }: Case, rules: readonly Rule[]) {
  const rule = rules.find((each) => each.alert === alert)
  const fired = { exp_labels: { ...rule?.labels, ...labels }, exp_annotations: { summary: summary ?? rule?.annotations.summary } }
  return {
    interval: '1m',
    input_series: Object.entries(input).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: silent ? [] : [fired] }],
  }
}
