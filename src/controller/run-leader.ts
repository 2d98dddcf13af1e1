import { type KubeApi, KubeError } from '../kube/kube-api.ts'
import type { Instant } from '../rollout/model/instant.ts'
import { assemble } from './assemble.ts'
import type { ClusterCache } from './cache/cluster-cache.ts'
import type { Contact } from './clock/contact.ts'
import { PassPace } from './clock/pass-pace.ts'
import type { WakeSignal } from './clock/wake-signal.ts'
import { StatusPoster } from './commit-status/status-poster.ts'
import { conclusionsOf } from './conclusions.ts'
import type { ControllerParts } from './controller-parts.ts'
import { Notifier } from './notifications/notifier.ts'
import { pass } from './pass.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { RevertProposer, type RevertProposerOptions } from './revert/revert-proposer.ts'
import { Tracer } from './traces/tracer.ts'

/** Between passes that fail, in milliseconds. */
const FIRST_BACKOFF = 250
const LAST_BACKOFF = 10_000

export interface LeaderOptions {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly cluster: ClusterCache
  readonly contact: Contact
  readonly wake: WakeSignal
  readonly signal: AbortSignal
  /** For records of what was done, each at the version that was read: they may arrive after the term. */
  readonly records: KubeApi
  /** Resolves when nobody else works in the clone of the repository any more. */
  readonly clone: Promise<void>
}

/**
 * Passes whenever the head, a node or a NodePool changes, or time alone can bring something new; what changes together makes
 * one pass. Begins with an empty memory: whatever another process did before stands in the cluster.
 */
export async function runLeader(options: LeaderOptions): Promise<void> {
  const parts = assemble(options)
  const posters = postersFor(options)
  const reverts = revertsFor(parts, options)
  const { telemetry } = options.ports
  telemetry?.leads(conclusionsOf(parts))
  try {
    const passes = passAgainAndAgain(parts, options, () => {
      for (const poster of posters) poster.fire()
      reverts?.fire()
    })
    const { signal } = options
    const beside = [...posters.map((poster) => poster.run(signal)), reverts?.run(signal), parts.otherClusters.run(signal)]
    await Promise.all([followHead(parts, options), passes, ...beside])
  } finally {
    telemetry?.leads()
    await parts.end()
  }
}

/** They tell others what the pools' statuses say, each at its own pace. */
function postersFor({
  ports,
  cluster,
  records,
  settings: { namespace },
}: LeaderOptions): readonly (StatusPoster | Notifier | Tracer)[] {
  const { commitStatuses, deployments, notifications = [], traces: send, telemetry, clock, log } = ports
  const pools = () => cluster.pools.items.values()
  const posters = [commitStatuses, deployments && { ...deployments, name: 'deployments' }]
    .filter((settings) => settings !== undefined)
    .map((settings) => new StatusPoster({ ...settings, clock, log, pools }))
  const notifiers = notifications.map((channel) => {
    const tried = telemetry?.notifies(channel.name)
    return new Notifier({ channel, namespace, kube: records, clock, log, pools, ...(tried && { tried }) })
  })
  const fleet = () => ({ pools: cluster.pools.items, nodes: cluster.nodes.items.values() })
  return [...posters, ...notifiers, ...(send ? [new Tracer({ send, fleet, clock, log })] : [])]
}

function revertsFor(parts: ControllerParts, { ports, cluster }: LeaderOptions): RevertProposer | undefined {
  const { reverts: place, clock, log, compile } = ports
  const { intake, events } = parts
  if (place === undefined) return undefined
  const head = () => intake.state
  const tell: RevertProposerOptions['tell'] = (told) => events.recordOnce(told, clock.now())
  const pools = () => cluster.pools.items.values()
  return new RevertProposer({ place, sources: { ...parts, compile, head }, pools, head, tell, clock, log })
}

/** Milliseconds. Where Git is away for longer, rollouts go on with what the cluster remembers. */
const FIRST_WORD = 10_000

/** After a restore of etcd, or when somebody has deleted the newest revision, the cluster remembers an older commit as the newest. */
async function heardOfHead(
  { intake, ports: { clock } }: ControllerParts,
  { wake, signal }: Pick<LeaderOptions, 'wake' | 'signal'>,
) {
  const end = clock.elapsed() + FIRST_WORD
  const left = (): number => end - clock.elapsed()
  while (!intake.hasNews && !signal.aborted && left() > 0) await wake.wait(clock, { until: clock.now() + left(), signal })
}

async function passAgainAndAgain(parts: ControllerParts, { wake, signal }: LeaderOptions, passed: () => void): Promise<void> {
  const { clock } = parts.ports
  const pace = new PassPace()
  let failures = 0
  await heardOfHead(parts, { wake, signal })
  // Until here there was no pass to wait for.
  wake.take()
  /** When the oldest change came that no pass has taken yet: one that fails takes none. */
  let changedAt: number | undefined
  while (!signal.aborted) {
    let until: Instant | undefined
    let notBefore = 0
    changedAt ??= wake.take()
    const began = clock.elapsed()
    try {
      const { wakeAt, took } = await pass(parts)
      until = wakeAt
      notBefore = pace.after(took, clock.elapsed())
      failures = 0
      parts.ports.telemetry?.passed({ took, ...(changedAt !== undefined && { waited: began - changedAt }) })
      changedAt = undefined
    } catch (error) {
      if (signal.aborted) return
      until = clock.now() + Math.min(FIRST_BACKOFF * 2 ** failures, LAST_BACKOFF)
      failures += 1
      parts.ports.telemetry?.passFailed()
      logFailure(parts, error, until)
      // Changes may come fast, and what fails for one pool should not be asked for with each of them.
      await clock.sleepUntil(clock.now() + Math.max(FIRST_BACKOFF, restAsked(error)), signal)
    }
    // Also after one that failed: pools may have got another status before.
    passed()
    await wake.wait(clock, { until, notBefore, signal })
  }
}

/** What was accepted last, by whoever led then, is asked of the cluster: a head must descend from that. */
async function followHead({ ports, intake }: ControllerParts, { wake, signal, clone }: LeaderOptions): Promise<void> {
  await clone
  const acceptedNow = () => intake.lastAccepted
  for await (const event of ports.source.follow({ signal, lastAccepted: acceptedNow(), acceptedNow })) {
    if (event.kind === 'trouble') ports.log('warn', `read repository: ${event.message}`)
    ports.telemetry?.gitReadable(event.kind !== 'trouble')
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
