import { KubeError } from '../kube/kube-api.ts'
import type { Instant } from '../rollout/model/instant.ts'
import { assemble } from './assemble.ts'
import type { ClusterCache } from './cache/cluster-cache.ts'
import type { Contact } from './clock/contact.ts'
import type { WakeSignal } from './clock/wake-signal.ts'
import { StatusPoster } from './commit-status/status-poster.ts'
import type { ControllerParts } from './controller-parts.ts'
import { pass } from './pass.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { lastCommit } from './revisions/revision-store.ts'

/** Between passes that fail, in milliseconds. */
const FIRST_BACKOFF = 250
const LAST_BACKOFF = 10_000

/** How much longer than a pass the rest after it is: passes take a tenth of the time at most, however many nodes there are. */
const REST = 9
/** Milliseconds. */
const LONGEST_REST = 250

/**
 * A pass looks at every node, and each node that works has several changes: without a rest, a node would cost the more, the more nodes
 * there are. What changes meanwhile is one pass; what changes when nothing has for a while waits for nothing.
 */
export function restAfter(took: number): number {
  return Math.min(took * REST, LONGEST_REST)
}

export interface LeaderOptions {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly contact: Contact
  readonly wake: WakeSignal
  readonly signal: AbortSignal
  /** Resolves when nobody else works in the clone of the repository any more. */
  readonly clone: Promise<void>
}

/**
 * Passes whenever the head, a node or a NodePool changes, or time alone can bring something new; what changes together makes
 * one pass. Begins with an empty memory: whatever another process did before stands in the cluster.
 */
export async function runLeader(options: LeaderOptions): Promise<void> {
  const parts = assemble(options)
  const poster = posterFor(options)
  try {
    const passes = passAgainAndAgain(parts, options, () => poster?.fire())
    await Promise.all([followHead(parts, options), passes, poster?.run(options.signal)])
  } finally {
    await parts.end()
  }
}

function posterFor({ ports, cluster }: LeaderOptions): StatusPoster | undefined {
  const { commitStatuses, clock, log } = ports
  return commitStatuses && new StatusPoster({ ...commitStatuses, clock, log, pools: () => cluster.pools.items.values() })
}

async function passAgainAndAgain(parts: ControllerParts, { wake, signal }: LeaderOptions, passed: () => void): Promise<void> {
  const { clock } = parts.ports
  let failures = 0
  while (!signal.aborted) {
    let until: Instant | undefined
    let notBefore = 0
    try {
      const { wakeAt, took } = await pass(parts)
      until = wakeAt
      notBefore = clock.elapsed() + restAfter(took)
      failures = 0
      passed()
    } catch (error) {
      if (signal.aborted) return
      until = clock.now() + Math.min(FIRST_BACKOFF * 2 ** failures, LAST_BACKOFF)
      failures += 1
      logFailure(parts, error, until)
      // Changes may come fast, and what fails for one pool should not be asked for with each of them.
      await clock.sleepUntil(clock.now() + Math.max(FIRST_BACKOFF, restAsked(error)), signal)
    }
    await wake.wait(clock, { until, notBefore, signal })
  }
}

/** What was accepted last, by whoever led then, is asked of the cluster: a head must descend from that. */
async function followHead({ ports, store, intake }: ControllerParts, { wake, signal, clone }: LeaderOptions): Promise<void> {
  await clone
  const acceptedNow = () => lastCommit(store.list())
  for await (const event of ports.source.follow({ signal, lastAccepted: acceptedNow(), acceptedNow })) {
    if (event.kind === 'trouble') ports.log('warn', `read repository: ${event.message}`)
    intake.offer(event)
    wake.fire()
  }
}

/** Milliseconds for which the server wants no more of us. A proxy may name hours, in which nobody would see what goes wrong. */
function restAsked(error: unknown): number {
  return error instanceof KubeError ? Math.min((error.retryAfter ?? 0) * 1000, LAST_BACKOFF) : 0
}

/** A failure that is not the server's is a mistake of ours: then the stack is wanted. */
function logFailure({ ports: { clock, log } }: ControllerParts, error: unknown, until: Instant): void {
  const details = error instanceof KubeError ? { reason: error.reason, code: error.code } : { stack: (error as Error).stack }
  log('warn', `pass failed, next in ${until - clock.now()} ms: ${(error as Error).message}`, details)
}
