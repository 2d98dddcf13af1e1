import { type FollowedCluster, followCluster } from './cache/cluster-cache.ts'
import { Contact } from './clock/contact.ts'
import { contactKube } from './clock/contact-kube.ts'
import { OutageLog } from './clock/outage-log.ts'
import { WakeSignal } from './clock/wake-signal.ts'
import type { ElectionSettings } from './leadership/election.ts'
import { fencedKube } from './leadership/fenced-kube.ts'
import { electLeader } from './leadership/leader-elector.ts'
import type { ControllerPorts, ControllerSettings } from './ports.ts'
import { keptRevisions, lastCommit } from './revisions/revision-store.ts'
import { runLeader } from './run-leader.ts'
import { unbrokenSince } from './snapshot/gather.ts'

export interface ControllerOptions {
  readonly ports: ControllerPorts
  readonly settings: ControllerSettings
  readonly signal: AbortSignal
}

/**
 * Leads whenever it is elected, or always when there is no election; until then it watches everything, so that it can go on at
 * once, and writes nothing. Ends by `signal`, with the write under way.
 * @throws {KubeError} at the start, when the server refuses what a controller needs: rights, or the NodePool kind.
 */
export async function control({ settings, signal, ...options }: ControllerOptions): Promise<void> {
  const own = new AbortController()
  const ending = AbortSignal.any([signal, own.signal])
  const contact = new Contact()
  const { clock, log } = options.ports
  const wake = new WakeSignal(() => clock.elapsed())
  const outage = new OutageLog(log, clock)
  const kube = contactKube(options.ports.kube, { contact, clock, outage, signal: ending, restored: wake.fire })
  const ports = { ...options.ports, kube }
  const cluster = followCluster({ ...ports, settings, contact, signal: ending, changed: wake.fire })
  const context = { ports, settings, cluster, contact, wake, signal: ending }
  try {
    await cluster.synced
    ports.telemetry?.synced(cluster)
    if (settings.election) await standForElection(context, settings.election)
    else await runLeader({ ...context, records: kube, clone: Promise.resolve() })
  } finally {
    own.abort()
  }
}

interface LeaderContext extends ControllerOptions {
  readonly contact: Contact
  readonly cluster: FollowedCluster
  readonly wake: WakeSignal
}

async function standForElection(context: LeaderContext, election: ElectionSettings): Promise<void> {
  const { ports, settings, signal, contact } = context
  let clone = Promise.resolve()
  await electLeader({
    ...{ ...ports, ...election, namespace: settings.namespace, signal },
    standBy: (until) => {
      clone = keepCloneFresh(context, until)
    },
    foundOtherClock: () => contact.distrust(ports.clock.now()),
    countsSince: () => unbrokenSince(context, ports.clock.now()),
    countedSince: (since) => contact.countFrom(since, ports.clock.now()),
    lead: async (term) => {
      await catchUp(context, term.signal)
      const fenced = { ...ports, kube: fencedKube(ports.kube, term) }
      await runLeader({ ...context, ports: fenced, records: ports.kube, signal: term.signal, clone })
    },
  })
  await clone
}

/** Milliseconds. */
const CATCH_UP_AGAIN = 1_000

/**
 * Watches may be behind, and what the one before has written last not be known: a node that it took is free in a budget that does not
 * know of it. So nothing is decided before all has been read that was written until the lease changed hands.
 */
async function catchUp({ cluster, ports: { clock, log } }: LeaderContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await cluster.catchUp()
    } catch (error) {
      if (!signal.aborted) log('warn', `read what the previous leader wrote: ${String(error)}`)
      await clock.sleepUntil(clock.now() + CATCH_UP_AGAIN, signal)
    }
  }
}

/** Heads are for the one that leads to judge: here they are fetched, and that is all. Trouble with it is found out before it matters. */
async function keepCloneFresh({ ports: { source, log }, cluster }: LeaderContext, signal: AbortSignal): Promise<void> {
  const lastAccepted = lastCommit(keptRevisions(cluster.revisions.items.values()))
  try {
    for await (const event of source.follow({ signal, lastAccepted }))
      if (event.kind === 'trouble') log('warn', `read repository: ${event.message}`)
  } catch (error) {
    log('error', `follow the repository while standing by: ${String(error)}`)
  }
}
