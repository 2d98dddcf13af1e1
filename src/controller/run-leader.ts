import { KubeError } from '../kube/kube-api.ts'
import type { Instant } from '../rollout/model/instant.ts'
import type { ClusterCache } from './cache/cluster-cache.ts'
import type { Trigger } from './clock/wake-signal.ts'
import { GarbageCollector } from './config-maps/garbage-collector.ts'
import type { Shell } from './controller-parts.ts'
import { ReconcileRequests } from './controls/reconcile-requests.ts'
import { Decider } from './decider.ts'
import { DrainWatch } from './drain/drain-watch.ts'
import { EventRecorder } from './events/event-recorder.ts'
import { inquiries } from './gates/gate-checks.ts'
import { GateKeeper } from './gates/gate-runner.ts'
import { pass } from './pass.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { commitGuard } from './revisions/commit-guard.ts'
import { HeadIntake } from './revisions/head-intake.ts'
import { Rejections } from './revisions/rejections.ts'
import { RevisionLibrary } from './revisions/revision-library.ts'
import { RevisionStore } from './revisions/revision-store.ts'
import { PoolRenderer } from './snapshot/pool-renderer.ts'
import { PoolSnapshots } from './snapshot/pool-snapshots.ts'
import { StatusWriter } from './status/status-writer.ts'

/** Between passes that fail, in milliseconds. */
const FIRST_BACKOFF = 250
const LAST_BACKOFF = 10_000

export interface Leading {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly trigger: Trigger
  readonly signal: AbortSignal
  /** Resolves when nobody else works in the clone of the repository any more. */
  readonly clone: Promise<void>
}

/**
 * Passes whenever the head, a node or a NodePool changes, or time alone can bring something new; what changes together makes
 * one pass. Begins with an empty memory: whatever another process did before stands in the cluster.
 */
export async function lead(leading: Leading): Promise<void> {
  const shell = assemble(leading)
  await Promise.all([followHead(shell, leading), passAgainAndAgain(shell, leading)])
}

async function passAgainAndAgain(shell: Shell, { trigger, signal }: Leading): Promise<void> {
  const { clock } = shell.ports
  let failures = 0
  while (!signal.aborted) {
    let until: Instant | undefined
    try {
      until = await pass(shell)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      until = clock.now() + Math.min(FIRST_BACKOFF * 2 ** failures, LAST_BACKOFF)
      failures += 1
      logFailure(shell, error, until)
      // Changes may come fast, and what fails for one pool should not be asked for with each of them.
      await clock.sleepUntil(clock.now() + Math.max(FIRST_BACKOFF, restAsked(error)), signal)
    }
    await trigger.wait(clock, { until, signal })
  }
}

/** What was accepted last, by whoever led then, is asked of the cluster: a head must descend from that. */
async function followHead({ ports, store, intake }: Shell, { trigger, signal, clone }: Leading): Promise<void> {
  await clone
  const lastAccepted = store.list()[0]?.commit
  for await (const event of ports.source.follow({ signal, lastAccepted })) {
    if (event.kind === 'trouble') ports.log('warn', `read repository: ${event.message}`)
    intake.offer(event)
    trigger.fire()
  }
}

function assemble({ ports, settings, cluster, trigger, signal }: Leading): Shell {
  const { kube, compile, log, compression } = ports
  const payloads = { kube, namespace: settings.namespace, configMaps: cluster.payloads }
  const revisions = { kube, namespace: settings.revisionsNamespace, configMaps: cluster.revisions }
  const store = new RevisionStore({ ...revisions, compression })
  const library = new RevisionLibrary({ store, compile, log })
  const renderer = new PoolRenderer()
  return {
    ports,
    settings,
    cluster,
    drains: new DrainWatch({ ...ports, signal, changed: trigger.fire }),
    store,
    rejections: new Rejections(revisions),
    library,
    renderer,
    intake: new HeadIntake({ compile, store, library, log, guard: commitGuard({ cluster, renderer }) }),
    requests: new ReconcileRequests(cluster.pools.items.values()),
    snapshots: new PoolSnapshots(),
    decider: new Decider(),
    statuses: new StatusWriter({ kube, pools: cluster.pools, countsEvery: settings.countsEvery }),
    events: new EventRecorder({ kube, log }),
    gates: new GateKeeper({
      inquire: ports.inquire ?? inquiries({ ports, settings, cluster }),
      clock: ports.clock,
      signal,
      changed: trigger.fire,
    }),
    garbage: new GarbageCollector({ cluster, store, renderer, payloads }),
  }
}

/** Milliseconds for which the server wants no more of us. A proxy may name hours, in which nobody would see what goes wrong. */
function restAsked(error: unknown): number {
  return error instanceof KubeError ? Math.min((error.retryAfter ?? 0) * 1000, LAST_BACKOFF) : 0
}

/** A failure that is not the server's is a mistake of ours: then the stack is wanted. */
function logFailure({ ports: { clock, log } }: Shell, error: unknown, until: Instant): void {
  const details = error instanceof KubeError ? { reason: error.reason, code: error.code } : { stack: (error as Error).stack }
  log('warn', `pass failed, next in ${until - clock.now()} ms: ${(error as Error).message}`, details)
}
