import { ROLLOUTS_BEGAN } from '../../../scripts/grafana/dashboard.ts'
import { ROWS } from '../../../scripts/grafana/panels.ts'

const pool = (rest = '', name = 'workers') => `{instance="a",pool="${name}"${rest}}`

/** Two pools: one in its second wave of four, one that stalls. Series → values, a minute apart. */
const SERIES: Readonly<Record<string, string>> = {
  [`nodewave_pool_nodes${pool(',phase="Current"')}`]: '30x20',
  [`nodewave_pool_nodes${pool(',phase="Applying"')}`]: '10x20',
  [`nodewave_pool_nodes${pool(',phase="Failed"', 'gpu')}`]: '2x20',
  [`nodewave_pool_condition${pool(',type="Ready",status="True",reason="Completed"', 'cpu')}`]: '1x20',
  [`nodewave_pool_condition${pool(',type="Ready",status="False",reason="RollingOut"')}`]: '1x20',
  [`nodewave_pool_condition${pool(',type="Ready",status="False",reason="NodesFailed"', 'gpu')}`]: '1x20',
  [`nodewave_pool_condition${pool(',type="Stalled",status="True",reason="NodesFailed"', 'gpu')}`]: '1x20',
  [`nodewave_pool_revision${pool(',revision="aaaaaaa"')}`]: '1x20',
  [`nodewave_pool_wave${pool(',wave="canary"')}`]: '2x20',
  [`nodewave_pool_waves${pool()}`]: '4x20',
  [`nodewave_pool_failed_nodes${pool('', 'gpu')}`]: '2x20',
  [`nodewave_pool_held_nodes${pool()}`]: '1x20',
  [`nodewave_pool_paused${pool()}`]: '0x20',
  [`nodewave_rollout_start_timestamp_seconds${pool()}`]: '60x9 540x10',
  [`nodewave_rollout_duration_seconds${pool(',result="Completed"')}`]: '600x20',
  [`nodewave_rollout_seconds_sum${pool(',result="Completed"')}`]: '0+600x20',
  [`nodewave_rollout_seconds_count${pool(',result="Completed"')}`]: '0+1x20',
  [`nodewave_commit_lag_seconds_sum${pool()}`]: '0+60x20',
  [`nodewave_commit_lag_seconds_count${pool()}`]: '0+2x20',
  [`nodewave_node_apply_seconds_sum${pool(',result="Applied"')}`]: '0+36x20',
  [`nodewave_node_apply_seconds_count${pool(',result="Applied"')}`]: '0+3x20',
  [`nodewave_agents${pool(',version="0.1.0"')}`]: '40x20',
  [`nodewave_kubelets${pool(',version="1.36.2"')}`]: '40x20',
  [`nodewave_drifted_nodes${pool()}`]: '1x20',
  [`nodewave_nodes_to_reboot${pool()}`]: '1x20',
  'nodewave_build_info{instance="a",version="0.1.0"}': '1x20',
  'nodewave_build_info{instance="b",version="0.1.0"}': '1x20',
  'nodewave_leading{instance="a"}': '1x20',
  'nodewave_leading{instance="b"}': '0x20',
  'nodewave_pass_seconds_bucket{instance="a",le="0.01"}': '0+60x20',
  'nodewave_pass_seconds_bucket{instance="a",le="+Inf"}': '0+60x20',
  'nodewave_pass_wait_seconds_bucket{instance="a",le="0.25"}': '0+60x20',
  'nodewave_pass_wait_seconds_bucket{instance="a",le="0.5"}': '0+120x20',
  'nodewave_pass_wait_seconds_bucket{instance="a",le="+Inf"}': '0+120x20',
  'nodewave_write_wait_seconds_bucket{instance="a",le="2.5"}': '0+60x20',
  'nodewave_write_wait_seconds_bucket{instance="a",le="+Inf"}': '0+60x20',
  'nodewave_pass_failures_total{instance="a"}': '0+1x20',
  'nodewave_notifications_total{instance="a",channel="ops",result="sent"}': '0+1x20',
  'nodewave_notifications_total{instance="a",channel="ops",result="failed"}': '0+2x20',
  'nodewave_git_readable{instance="a"}': '1x20',
  'nodewave_git_failures_total{instance="a"}': '0+1x20',
  'nodewave_api_request_seconds_count{instance="a",verb="create",resource="pods/eviction",code="429"}': '0+60x20',
  'nodewave_api_request_seconds_count{instance="a",verb="create",resource="pods/eviction",code="201"}': '0+120x20',
  'nodewave_api_request_seconds_bucket{instance="a",verb="create",resource="pods/eviction",code="429",le="0.5"}': '0+60x20',
  'nodewave_api_request_seconds_bucket{instance="a",verb="create",resource="pods/eviction",code="429",le="+Inf"}': '0+60x20',
  'process_cpu_seconds_total{instance="a"}': '0+6x20',
  'process_cpu_seconds_total{instance="of somebody else"}': '0+6x20',
  'process_resident_memory_bytes{instance="a"}': '100x20',
  'process_resident_memory_bytes{instance="of somebody else"}': '100x20',
}

interface Sample {
  readonly labels: string
  readonly value: number
}

/** What some panels show at the tenth minute, by title: one value each, or one a series. */
const SHOWN: Readonly<Record<string, readonly Sample[]>> = {
  Nodes: [{ labels: '{}', value: 42 }],
  'Pools Ready': [{ labels: '{}', value: 1 }],
  'Pools rolling out': [{ labels: '{}', value: 1 }],
  'Pools that stall': [{ labels: '{}', value: 1 }],
  'Nodes failed': [{ labels: '{}', value: 2 }],
  'Nodes at the target': [{ labels: '{pool="workers"}', value: 0.75 }],
  'Wave under way': [{ labels: '{pool="workers"}', value: 0.5 }],
  'Rollouts under way for': [{ labels: '{pool="workers"}', value: 60 }],
  'Mean duration of rollouts': [{ labels: '{pool="workers",result="Completed"}', value: 600 }],
  'Mean time from commit to completion': [{ labels: '{pool="workers"}', value: 30 }],
  'Mean duration of a node': [{ labels: '{pool="workers",result="Applied"}', value: 12 }],
  'Pools that are not Ready': [
    { labels: '{pool="workers",reason="RollingOut"}', value: 1 },
    { labels: '{pool="gpu",reason="NodesFailed"}', value: 1 },
  ],
  'Evictions refused by a PodDisruptionBudget': [{ labels: '{}', value: 1 }],
  'Evictions by answer': [
    { labels: '{code="429"}', value: 1 },
    { labels: '{code="201"}', value: 2 },
  ],
  'Notifications sent': [{ labels: '{channel="ops"}', value: 5 }],
  'Notifications that could not be sent': [{ labels: '{channel="ops",result="failed"}', value: 10 }],
  Controllers: [{ labels: '{}', value: 2 }],
  Leaders: [{ labels: '{}', value: 1 }],
  CPU: [{ labels: '{instance="a"}', value: 0.1 }],
  Memory: [{ labels: 'process_resident_memory_bytes{instance="a"}', value: 100 }],
}

const filled = (expr: string) => expr.replaceAll('$pool', '.*').replaceAll('$__rate_interval', '5m')

/** A group of tests for promtool: each panel has series, and some are known. */
export function panelTests(): object {
  const queries = ROWS.flatMap(({ panels }) =>
    panels.flatMap(({ title, queries: all }) => all.map(({ expr }) => ({ title, expr }))),
  )
  const hasSeries = [...queries.map(({ expr }) => expr), ROLLOUTS_BEGAN].map((expr) => ({
    expr: `count(${filled(expr)}) > bool 0`,
    eval_time: '10m',
    exp_samples: [{ labels: '{}', value: 1 }],
  }))
  const known = queries
    .filter(({ title }) => title in SHOWN)
    .map(({ title, expr }) => ({ expr: filled(expr), eval_time: '10m', exp_samples: SHOWN[title] }))
  return {
    interval: '1m',
    input_series: Object.entries(SERIES).map(([series, values]) => ({ series, values })),
    promql_expr_test: [...hasSeries, ...known],
  }
}
