/** What the Grafana dashboard shows: rows of panels with their queries. Only the leader has series of the fleet, so `max by` counts nothing twice. */

export interface Query {
  readonly expr: string
  /** Of the series. */
  readonly legend: string
}

export interface Panel {
  readonly title: string
  readonly description?: string
  readonly type: 'stat' | 'timeseries' | 'bargauge' | 'table'
  /** Of 24. */
  readonly width: number
  readonly unit?: string
  readonly stacked?: boolean
  /** From this value on it is shown as wrong. */
  readonly wrongFrom?: number
  readonly queries: readonly Query[]
}

export interface Row {
  readonly title: string
  readonly height: number
  readonly panels: readonly Panel[]
}

const POOL = '{pool=~"$pool"}'
const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }]

/** An expression that has no series counts as none. */
const orZero = (expr: string) => `${expr} or vector(0)`

/** Of what ended in the last 30 days, in a histogram. */
const mean = (name: string, labels: string) =>
  ['sum', 'count'].map((part) => `sum by (${labels}) (increase(${name}_${part}${POOL}[30d]))`).join(' / ')

const isRollingOut = `max by (pool) (nodewave_pool_wave${POOL})`
const counts = (status: string, type: string) =>
  `max by (pool) (nodewave_pool_condition{pool=~"$pool", type="${type}", status="${status}"})`

const glance: readonly Panel[] = [
  stat('Nodes', `sum(max by (pool, phase) (nodewave_pool_nodes${POOL}))`),
  stat('Pools Ready', orZero(`count(${counts('True', 'Ready')})`)),
  stat('Pools rolling out', orZero(`count(${isRollingOut})`)),
  stat('Pools that stall', orZero(`count(${counts('True', 'Stalled')})`), 1),
  stat('Nodes failed', orZero(`sum(max by (pool) (nodewave_pool_failed_nodes${POOL}))`), 1),
  stat('Pools paused', `sum(max by (pool) (nodewave_pool_paused${POOL}))`),
  stat('Nodes held', `sum(max by (pool) (nodewave_pool_held_nodes${POOL}))`),
  stat('Nodes with drift', orZero(`sum(max by (pool) (nodewave_drifted_nodes${POOL}))`), 1),
]

const rollouts: readonly Panel[] = [
  {
    ...{ title: 'Nodes at the target', type: 'bargauge', width: 8, unit: 'percentunit' },
    queries: one(
      `sum by (pool) (max by (pool, phase) (nodewave_pool_nodes{pool=~"$pool", phase="Current"})) / sum by (pool) (max by (pool, phase) (nodewave_pool_nodes${POOL}))`,
      '{{pool}}',
    ),
  },
  {
    ...{ title: 'Wave under way', type: 'bargauge', width: 8, unit: 'percentunit' },
    description: 'Number of the wave, of all waves of the rollout.',
    queries: one(`${isRollingOut} / max by (pool) (nodewave_pool_waves${POOL})`, '{{pool}}'),
  },
  {
    ...{ title: 'Pools that are not Ready', type: 'table', width: 8 },
    queries: one(
      'max by (pool, reason) (nodewave_pool_condition{pool=~"$pool", type="Ready", status="False"})',
      '{{pool}}: {{reason}}',
    ),
  },
  {
    ...{ title: 'Rollouts under way for', type: 'timeseries', width: 8, unit: 's' },
    queries: one(
      `time() - max by (pool) (nodewave_rollout_start_timestamp_seconds${POOL}) and on (pool) ${isRollingOut}`,
      '{{pool}}',
    ),
  },
  {
    ...{ title: 'Duration of the last rollout', type: 'table', width: 8, unit: 's' },
    queries: one(`max by (pool, result) (nodewave_rollout_duration_seconds${POOL})`, '{{pool}}: {{result}}'),
  },
  {
    ...{ title: 'Target of each pool', type: 'table', width: 8 },
    queries: one(`max by (pool, revision) (nodewave_pool_revision${POOL})`, '{{pool}}: {{revision}}'),
  },
  {
    ...{ title: 'Mean duration of rollouts', type: 'table', width: 8, unit: 's' },
    description: 'Of the last 30 days.',
    queries: one(mean('nodewave_rollout_seconds', 'pool, result'), '{{pool}}: {{result}}'),
  },
  {
    ...{ title: 'Mean time from commit to completion', type: 'table', width: 8, unit: 's' },
    description: 'Of the last 30 days.',
    queries: one(mean('nodewave_commit_lag_seconds', 'pool'), '{{pool}}'),
  },
  {
    ...{ title: 'Mean duration of a node', type: 'table', width: 8, unit: 's' },
    description: 'From the assignment to the report of the agent. Of the last 30 days.',
    queries: one(mean('nodewave_node_apply_seconds', 'pool, result'), '{{pool}}: {{result}}'),
  },
]

const nodes: readonly Panel[] = [
  {
    ...{ title: 'Nodes by phase', type: 'timeseries', width: 12, stacked: true },
    queries: one(`sum by (phase) (max by (pool, phase) (nodewave_pool_nodes${POOL}))`, '{{phase}}'),
  },
  {
    ...{ title: 'Nodes failed, held, to reboot', type: 'timeseries', width: 12 },
    queries: [
      { expr: `sum(max by (pool) (nodewave_pool_failed_nodes${POOL}))`, legend: 'failed' },
      { expr: `sum(max by (pool) (nodewave_pool_held_nodes${POOL}))`, legend: 'held' },
      { expr: orZero(`sum(max by (pool) (nodewave_nodes_to_reboot${POOL}))`), legend: 'to reboot' },
    ],
  },
]

const versions: readonly Panel[] = [
  {
    ...{ title: 'Kubelets by version', type: 'timeseries', width: 12, stacked: true },
    queries: one(`sum by (version) (max by (pool, version) (nodewave_kubelets${POOL}))`, '{{version}}'),
  },
  {
    ...{ title: 'Agents by version', type: 'timeseries', width: 12, stacked: true },
    queries: one(`sum by (version) (max by (pool, version) (nodewave_agents${POOL}))`, '{{version}}'),
  },
]

const EVICTIONS = 'nodewave_api_request_seconds_count{resource="pods/eviction"'

const drains: readonly Panel[] = [
  {
    ...{ title: 'Evictions refused by a PodDisruptionBudget', type: 'timeseries', width: 12, unit: 'reqps' },
    queries: one(orZero(`sum(rate(${EVICTIONS}, code="429"}[$__rate_interval]))`), 'refused'),
  },
  {
    ...{ title: 'Evictions by answer', type: 'timeseries', width: 12, unit: 'reqps' },
    queries: one(`sum by (code) (rate(${EVICTIONS}}[$__rate_interval]))`, '{{code}}'),
  },
]

const notifications: readonly Panel[] = [
  {
    ...{ title: 'Notifications sent', type: 'timeseries', width: 12 },
    queries: one(tried('result="sent"', 'channel'), '{{channel}}'),
  },
  {
    ...{ title: 'Notifications that could not be sent', type: 'timeseries', width: 12 },
    queries: one(tried('result!="sent"', 'channel, result'), '{{channel}}: {{result}}'),
  },
]

const git: readonly Panel[] = [
  { ...stat('Repository readable', 'min(nodewave_git_readable)'), width: 8 },
  {
    ...{ title: 'Reads of the repository that failed', type: 'timeseries', width: 16 },
    queries: one('sum(increase(nodewave_git_failures_total[$__rate_interval]))', 'failed'),
  },
]

/** Metrics of processes have no name of ours: those beside our own are ours. */
const ours = (expr: string) => `${expr} and on (instance) nodewave_build_info`
const quantile = (share: number, metric: string, by = 'le') =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${metric}_bucket[$__rate_interval])))`

const controller: readonly Panel[] = [
  { ...stat('Controllers', 'count(nodewave_build_info)'), width: 4 },
  { ...stat('Leaders', 'sum(nodewave_leading)'), width: 4 },
  {
    ...{ title: 'CPU time of passes', type: 'timeseries', width: 8, unit: 's' },
    queries: [
      { expr: quantile(0.5, 'nodewave_pass_seconds'), legend: 'half' },
      { expr: quantile(0.99, 'nodewave_pass_seconds'), legend: '99 of 100' },
    ],
  },
  {
    ...{ title: 'Time until a change is looked at', type: 'timeseries', width: 8, unit: 's' },
    description: 'Of the oldest change of each pass.',
    queries: [
      { expr: quantile(0.5, 'nodewave_pass_wait_seconds'), legend: 'half' },
      { expr: quantile(0.99, 'nodewave_pass_wait_seconds'), legend: '99 of 100' },
    ],
  },
  {
    ...{ title: 'Time until a write is sent', type: 'timeseries', width: 8, unit: 's' },
    description: 'Writes to nodes, and evictions.',
    queries: [
      { expr: quantile(0.5, 'nodewave_write_wait_seconds'), legend: 'half' },
      { expr: quantile(0.99, 'nodewave_write_wait_seconds'), legend: '99 of 100' },
    ],
  },
  {
    ...{ title: 'Passes that failed', type: 'timeseries', width: 8 },
    queries: one('sum(increase(nodewave_pass_failures_total[$__rate_interval]))', 'failed'),
  },
  {
    ...{ title: 'Requests to the API server', type: 'timeseries', width: 8, unit: 'reqps' },
    queries: one('sum by (code) (rate(nodewave_api_request_seconds_count[$__rate_interval]))', '{{code}}'),
  },
  {
    ...{ title: 'Answers of the API server, 99 of 100', type: 'timeseries', width: 8, unit: 's' },
    queries: one(quantile(0.99, 'nodewave_api_request_seconds', 'verb, le'), '{{verb}}'),
  },
  {
    ...{ title: 'CPU', type: 'timeseries', width: 4 },
    queries: one(ours('rate(process_cpu_seconds_total[$__rate_interval])'), '{{instance}}'),
  },
  {
    ...{ title: 'Memory', type: 'timeseries', width: 4, unit: 'bytes' },
    queries: one(ours('process_resident_memory_bytes'), '{{instance}}'),
  },
]

export const ROWS: readonly Row[] = [
  { title: 'Fleet', height: 4, panels: glance },
  { title: 'Rollouts', height: 8, panels: rollouts },
  { title: 'Nodes', height: 8, panels: nodes },
  { title: 'Versions', height: 8, panels: versions },
  { title: 'Drains', height: 8, panels: drains },
  { title: 'Git', height: 6, panels: git },
  { title: 'Notifications', height: 6, panels: notifications },
  { title: 'Controller', height: 8, panels: controller },
]

function tried(which: string, by: string): string {
  return `sum by (${by}) (increase(nodewave_notifications_total{${which}}[$__rate_interval]))`
}

function stat(title: string, expr: string, wrongFrom?: number): Panel {
  return { title, type: 'stat', width: 3, ...(wrongFrom !== undefined && { wrongFrom }), queries: one(expr) }
}
