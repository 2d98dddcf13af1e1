import * as z from 'zod'
import { duration, httpUrl, name } from './common.ts'

const conditionType = z
  .string()
  .regex(/^[A-Za-z0-9](?:[-A-Za-z0-9_./]{0,314}[A-Za-z0-9])?$/, 'expected the type of a node condition, such as "DiskPressure"')

const nodeConditions = z.strictObject({
  require: z.array(conditionType).max(50).exactOptional().describe('Conditions that must be True on every node done so far.'),
  forbid: z
    .array(conditionType)
    .max(50)
    .exactOptional()
    .describe('Conditions that must be False on these nodes, or not be there at all.'),
})

const prometheus = z.strictObject({
  url: httpUrl
    .max(2000)
    .regex(/^[^@?#]+$/, 'expected a URL without credentials, query and fragment, such as "https://prometheus.example.com"')
    .describe('Base URL of Prometheus; /api/v1/query is appended.'),
  query: z.string().min(1).max(10_000).describe('A PromQL expression that gives one value.'),
  min: z.number().exactOptional().describe('The value must not be below this.'),
  max: z.number().exactOptional().describe('The value must not be above this.'),
})

const job = z.strictObject({
  cronJob: name.describe(
    'A suspended CronJob in the namespace nodewave-gates: a Job is made from its template, and must succeed.',
  ),
})

const workloads = z.strictObject({
  namespaces: z.array(name).min(1).max(100).exactOptional().describe('Namespaces that are checked. Default: all.'),
})

/** Of the last four, exactly one is stated; `checks/rollouts.ts` sees to it. */
export const gate = z.strictObject({
  name: name.describe('Name of the gate in status and events.'),
  after: z.array(name).min(1).max(100).exactOptional().describe('Waves after which the gate must pass. Default: every wave.'),
  timeout: duration.exactOptional().describe('A gate that has not passed after this time has failed. Default: 10m.'),
  interval: duration.exactOptional().describe('Time between two checks, at least 1s. Default: 30s.'),
  nodeConditions: nodeConditions.exactOptional().describe('Conditions of the nodes done so far.'),
  prometheus: prometheus.exactOptional().describe('A Prometheus query whose value must be within bounds.'),
  job: job.exactOptional().describe('A Job in the cluster that must succeed.'),
  workloads: workloads
    .exactOptional()
    .describe('No Deployment, StatefulSet or DaemonSet that was available before the wave may be unavailable after it.'),
})
export type GateSpec = z.infer<typeof gate>
