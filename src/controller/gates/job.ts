import { createHash } from 'node:crypto'
import type { KubeApi, KubeObject } from '../../kube/kube-api.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { GATE_KEYS, MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import type { GateCheck } from '../../rollout/model/policy.ts'
import type { Asked, GateResult, RunGateCheck } from './gate-check.ts'

type JobCheck = Extract<GateCheck, { kind: 'job' }>

/** Seconds for which a finished Job is kept when its template does not say: long enough to read its logs. */
const KEPT_FOR = 24 * 60 * 60

export interface JobStore {
  readonly kube: KubeApi
  readonly namespace: string
}

/**
 * Makes a Job from the template of a suspended CronJob, and looks at what becomes of it. A repository names the template but does not
 * contain it: what runs in the cluster, and with which rights, stays with who may write CronJobs. The name follows from the question, so
 * that another process finds the Job of this one.
 */
export function job({ kube, namespace }: JobStore): RunGateCheck<JobCheck> {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`
  return async ({ cronJob }, asked, signal) => {
    const name = nameOf(asked)
    const found = await orMissing(kube.get<KubeObject>(`${jobs}/${name}`, { signal }))
    if (found) return judge(found)
    const template = await orMissing(
      kube.get<KubeObject>(`/apis/batch/v1/namespaces/${namespace}/cronjobs/${cronJob}`, { signal }),
    )
    if (!template) throw new Error(`no CronJob "${cronJob}" in namespace "${namespace}"`)
    await orThere(kube.create(jobs, jobFrom(template, { name, asked }), { signal }))
    return { verdict: 'NotPassed', message: `Job "${name}" was created` }
  }
}

function judge({ metadata: { name, namespace, labels }, status }: KubeObject): GateResult {
  if (labels?.[OBJECT_KEYS.managedBy] !== MANAGER) throw new Error(`another Job has the name "${name}"; delete it`)
  const { conditions = [], active = 0 } = (status ?? {}) as { conditions?: readonly Condition[]; active?: number }
  const holds = (type: string) => conditions.find((condition) => condition.type === type && condition.status === 'True')
  const failed = holds('Failed')
  if (failed)
    return { verdict: 'Failed', message: `Job "${name}" failed: ${failed.message ?? failed.reason ?? 'no reason given'}` }
  if (holds('Complete')) return { verdict: 'Passed', message: `Job "${name}" succeeded` }
  // That a pod may not be made, for a quota or by the namespace's rules, stands in the Job's events alone until its deadline is over.
  const why = active > 0 ? '' : `; it has no active pod; see: kubectl -n ${namespace} describe job ${name}`
  return { verdict: 'NotPassed', message: `Job "${name}" has not ended${why}` }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** Of one run: a commit that a person lets try again is tested again. So is one whose gate names another CronJob meanwhile. */
function nameOf({ pool, rollout, revision, wave, gate, check }: Asked): string {
  const hash = createHash('sha256').update([pool, rollout, revision, wave, gate.name, check].join('\0')).digest('hex')
  return `gate-${pool.slice(0, 20)}-${gate.name.slice(0, 20)}-${hash.slice(0, 10)}`.replace(/-+/g, '-')
}

interface CronJobSpec {
  readonly suspend?: boolean
  readonly jobTemplate: { readonly metadata?: Partial<KubeObject['metadata']>; readonly spec: JobSpec }
}

interface JobSpec {
  readonly template: { readonly spec: PodSpec; readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly [key: string]: unknown
}

interface Container {
  readonly env?: readonly object[]
  readonly [key: string]: unknown
}

/** One that is not suspended would run on its own time as well, and its Jobs say nothing about a rollout. */
function jobFrom({ metadata, spec }: KubeObject, { name, asked }: { readonly name: string; readonly asked: Asked }): object {
  const { suspend, jobTemplate } = spec as CronJobSpec
  if (suspend !== true) throw new Error(`CronJob "${metadata.name}" is not suspended: set suspend: true`)
  const { labels, annotations } = jobTemplate.metadata ?? {}
  const { pool, revision, wave, gate } = asked
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      labels: { ...labels, [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.pool]: pool },
      annotations: { ...annotations, [OBJECT_KEYS.revision]: revision, [GATE_KEYS.wave]: wave, [GATE_KEYS.gate]: gate.name },
    },
    spec: {
      ttlSecondsAfterFinished: KEPT_FOR,
      activeDeadlineSeconds: Math.max(1, Math.ceil(gate.timeout / 1000)),
      ...jobTemplate.spec,
      template: { ...jobTemplate.spec.template, spec: withGateVariables(jobTemplate.spec.template.spec, asked) },
    },
  }
}

/** Every container learns what it is to judge. */
function withGateVariables(pod: PodSpec, { pool, revision, wave }: Asked): PodSpec {
  const env = Object.entries({ NODEWAVE_POOL: pool, NODEWAVE_REVISION: revision, NODEWAVE_WAVE: wave }).map(([name, value]) => ({
    name,
    value,
  }))
  const withEnv = (container: Container) => ({ ...container, env: [...env, ...(container.env ?? [])] })
  const { containers, initContainers } = pod
  return { ...pod, containers: containers.map(withEnv), ...(initContainers && { initContainers: initContainers.map(withEnv) }) }
}

async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined
    throw error
  }
}

/** Made by another process meanwhile, or by this one, which never heard of it. */
async function orThere(answer: Promise<unknown>): Promise<void> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error
  }
}
