import { resolve } from 'node:path'
import type { PayloadReaders } from '../../controller/cache/cluster-settings.ts'
import { steadyClock } from '../../controller/clock/steady-clock.ts'
import { systemClock } from '../../controller/clock/system-clock.ts'
import { control } from '../../controller/controller.ts'
import type { Log } from '../../controller/log/log.ts'
import { countedKube } from '../../controller/metrics/counted-kube.ts'
import { type Telemetry, telemetryOf } from '../../controller/metrics/telemetry.ts'
import { ClusterStatuses } from '../../controller/other-clusters/cluster-statuses.ts'
import type { ControllerPorts } from '../../controller/ports.ts'
import { createOpeningCompiler } from '../../controller/revisions/compile.ts'
import { gitHeadSource } from '../../controller/revisions/git-head-source.ts'
import { readAgeKeys } from '../../controller/secrets/age-keys.ts'
import { assignmentSigner } from '../../controller/signing/assignment-signer.ts'
import { execAuth } from '../../kube/exec-auth.ts'
import { findConnection } from '../../kube/find-connection.ts'
import { KubeError } from '../../kube/kube-api.ts'
import { createKubeClient } from '../../kube/kube-client.ts'
import { systemTimers } from '../../kube/timers.ts'
import { readSigningKey } from '../../protocol/assignment-signature.ts'
import { DEFAULT_GATES_NAMESPACE, DEFAULT_NAMESPACE, DEFAULT_REVISIONS_NAMESPACE, namesFor } from '../../protocol/names.ts'
import { readKeyFile } from '../keys/read-key-file.ts'
import { type CommitSignatureOptions, signaturesOf } from './commit-signature-options.ts'
import { type DashboardOptions, serveDashboard } from './dashboard-options.ts'
import { type DeploymentOptions, deploymentsFor } from './deployment-options.ts'
import { type ElectionOptions, electionOf } from './election-options.ts'
import { findRepo, type RepoOptions } from './find-repo.ts'
import { type MetricsOptions, serveMetrics } from './metrics-options.ts'
import { type NotificationOptions, notificationChannels } from './notification-options.ts'
import { type PrometheusOptions, prometheusAccess } from './prometheus-access.ts'
import { receivePushes } from './receive-pushes.ts'
import { type RevertOptions, revertsFor } from './revert-options.ts'
import { contextOf, type StatusOptions, type StatusSettings, statusesFor } from './status-options.ts'
import { type TraceOptions, tracesOf } from './trace-options.ts'
import { type WebhookOptions, webhookOf } from './webhook-options.ts'

export interface ControllerSetup
  extends RepoOptions,
    CommitSignatureOptions,
    ElectionOptions,
    PrometheusOptions,
    WebhookOptions,
    MetricsOptions,
    DashboardOptions,
    StatusOptions,
    RevertOptions,
    NotificationOptions,
    TraceOptions,
    DeploymentOptions {
  readonly kubeconfig?: string
  /** Of the repository, where it has several. */
  readonly cluster?: string
  readonly namespace?: string
  readonly revisionsNamespace?: string
  readonly gatesNamespace?: string
  /** Opens the secrets of the repository. */
  readonly ageKeyFile?: string
  /** Where Secrets are that hosts get values of; absent: none are taken. */
  readonly secretsNamespace?: string
  readonly annotationPrefix?: string
  readonly payloadReaders?: PayloadReaders
  readonly signingKey?: string
  /** Default: true. */
  readonly ceiling?: boolean
  /** Milliseconds; the default is 30,000. */
  readonly poll?: number
  readonly allowForcePush?: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** Gets the work, beside metrics and dashboard. */
  readonly telemetry?: Telemetry
}

/** The controller with everything real around it. Ends by `signal`, after the write under way. @throws {Error} when it cannot start. */
export async function runController(setup: ControllerSetup, signal: AbortSignal): Promise<void> {
  const { namespace = DEFAULT_NAMESPACE, revisionsNamespace = DEFAULT_REVISIONS_NAMESPACE } = setup
  const { gatesNamespace = DEFAULT_GATES_NAMESPACE } = setup
  const { poll: pollEvery = 30_000, allowForcePush = false, env, log } = setup
  const named = setup.kubeconfig === undefined ? {} : { kubeconfig: setup.kubeconfig }
  const election = electionOf(setup)
  const prometheus = prometheusAccess(setup)
  const keys = setup.ageKeyFile === undefined ? undefined : await readAgeKeys(resolve(setup.cwd, setup.ageKeyFile))
  const signer =
    setup.signingKey === undefined
      ? undefined
      : assignmentSigner(await readKeyFile(resolve(setup.cwd, setup.signingKey), readSigningKey))
  const webhook = await webhookOf(setup)
  const commitStatuses = statusesFor(setup)
  const reverting = revertsFor(setup)
  const deployments = deploymentsFor(setup)
  const signatures = signaturesOf(setup)
  const notifications = await notificationChannels(setup)
  const traces = await tracesOf(setup)
  await using metrics = await serveMetrics(setup)
  await using dashboard = setup.dashboardPort === undefined ? undefined : await serveDashboard(setup.dashboardPort)
  const connection = await findConnection({ ...named, env, plugin: execAuth })
  const { source, folder, close } = await findRepo(setup)
  log('info', `following "${setup.repo}" for the cluster at "${connection.server}"`)
  const looking = new AbortController()
  if (dashboard) log('info', `serving the dashboard at http://127.0.0.1:${dashboard.port}`)
  if (metrics) log('info', `serving metrics on port ${metrics.port}, path /metrics`)
  const telemetry = telemetryOf([metrics?.telemetry, dashboard?.telemetry, setup.telemetry])
  const client = createKubeClient(connection)
  const clock = steadyClock(systemClock, { timers: systemTimers, signal: looking.signal })
  const ports = {
    kube: metrics ? countedKube(client, { elapsed: systemTimers.elapsed, told: metrics.requested }) : client,
    source: gitHeadSource(source, { folder, pollEvery, allowForcePush, signatures }),
    compile: createOpeningCompiler({ namespace, cluster: setup.cluster, ...(keys && { keys }) }),
    clock,
    log,
    ...(signer && { signer }),
    ...(prometheus && { prometheus }),
    ...(commitStatuses && { commitStatuses }),
    ...(deployments && { deployments }),
    ...(notifications && { notifications }),
    ...(traces && { traces }),
    ...(reverting && { reverts: { ...reverting, folder } }),
    ...otherClustersOf(commitStatuses, { clock, log }),
    ...(telemetry && { telemetry }),
  }
  const names = namesFor(setup.annotationPrefix)
  let receiver: AsyncDisposable | undefined
  try {
    if (webhook)
      receiver = await receivePushes(webhook, { ...ports, namespace, shared: election !== undefined, signal: looking.signal })
    const { payloadReaders, ceiling: readsCeiling = true } = setup
    const { secretsNamespace } = setup
    const secrets = {
      secrets: (keys ?? secretsNamespace) !== undefined,
      ...(secretsNamespace !== undefined && { secretsNamespace }),
    }
    const readers = { readsCeiling, ...(payloadReaders && { payloadReaders }) }
    const namespaces = { namespace, revisionsNamespace, gatesNamespace }
    await control({
      ports,
      settings: { names, ...namespaces, ...readers, ...secrets, ...(election && { election }) },
      signal,
    })
  } catch (error) {
    throw explained(error)
  } finally {
    looking.abort()
    await receiver?.[Symbol.asyncDispose]()
    await close()
  }
}

function otherClustersOf(
  settings: StatusSettings | undefined,
  { clock, log }: Pick<ControllerPorts, 'clock' | 'log'>,
): Pick<ControllerPorts, 'otherClusters'> {
  if (settings?.accounts === undefined) return {}
  const { statuses, accounts } = settings
  return { otherClusters: (changed) => new ClusterStatuses({ statuses, accounts, contextOf, clock, log, changed }) }
}

function explained(error: unknown): unknown {
  const remedy = error instanceof KubeError ? REMEDIES.get(error.code) : undefined
  return remedy === undefined ? error : new Error(`${(error as KubeError).message}; ${remedy}`, { cause: error })
}

const REMEDIES: ReadonlyMap<number, string> = new Map([
  [401, 'the cluster rejects these credentials'],
  [
    403,
    'the controller lacks rights: apply deploy/controller-rbac.yaml, with --age-key-file also deploy/secrets-rbac.yaml, with --secrets-namespace also deploy/secret-refs-rbac.yaml',
  ],
  [404, 'are the kinds installed? Install them: kubectl apply -f deploy/crds/nodepools.yaml -f deploy/crds/ceilings.yaml'],
])
