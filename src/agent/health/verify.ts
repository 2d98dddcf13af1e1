import { type Reach, reachOf } from '../../kube/reach.ts'
import { AgentError } from '../agent-error.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import type { Timing } from '../options.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import {
  type Judgement,
  judgeHealth,
  type Limits,
  type Look,
  observeLook,
  restarted,
  type Watched,
  watchFrom,
} from './health-judge.ts'
import { type HeartbeatRecord, heartbeatsFrom, isOfTheBackup, observeHeartbeat } from './heartbeat-record.ts'
import { isAmbiguous, type NodeDemands, type NodeEvidence, nodeComplaint } from './node-complaint.ts'

/** What a healthy host has to show. */
export interface Proof extends NodeDemands {
  /** Where the kubelet answers; undefined: nowhere, then running is all it can show. */
  readonly healthz?: string | undefined
  /** Socket of the container runtime, when it is known. */
  readonly runtime?: string | undefined
  /** Units besides the kubelet that have to run. */
  readonly units?: readonly string[] | undefined
  /** Units besides these that have to run unless their definition is gone. */
  readonly unitsIfKnown?: readonly string[] | undefined
  /** Milliseconds that all of it must hold, when a change needs longer to show than a new process. */
  readonly settle?: number | undefined
  /** Milliseconds until it must be healthy. */
  readonly within: number
  /** The API server has to be heard of once after the change. */
  readonly contact?: boolean | undefined
  /** It did not answer right before the change either. */
  readonly away?: true | undefined
  /** The change that has to show all this, where nothing is changed now. */
  readonly change?: string | undefined
  /** The kubelet's heartbeat that the Node showed before the change; milliseconds since the epoch. */
  readonly shown?: number | undefined
}

/** What was proved. */
export interface Proved {
  /** Wall clock in milliseconds: when the kubelet's process was started. */
  readonly startedAt: number
  /** The kubelet's newest one that the Node has shown, perhaps before the change; undefined when it has shown none. */
  readonly heartbeat?: number | undefined
}

type VerifyPorts = Pick<AgentPorts, 'services' | 'kubelet' | 'node' | 'clock'>

export interface VerifyOptions {
  readonly ports: VerifyPorts
  readonly timing: Timing
  /** Aborts when something newer was assigned. A kubelet that has not come up by then is not waited for much longer. */
  readonly signal?: AbortSignal | undefined
  /** Nothing was done to the host: a kubelet that has run for long is believed at the first look. */
  readonly undisturbed?: boolean
}

/**
 * Watches the host until it has proved healthy, or until it is clear that it will not be.
 *
 * What counts first is what the host itself shows: processes that keep running, the kubelet's health endpoint, the runtime's socket.
 * The Node is asked after that. An API server that does not answer is no fault of the kubelet's: then the host's own evidence is enough,
 * or an outage would roll back every node that just changed. Neither is a Node of a backup to which etcd was restored: the trial waits for
 * what the kubelet reports.
 *
 * @throws {AgentError} HealthCheckFailed, with the last words of the unit that is to blame
 */
export async function verifyKubelet(proof: Proof, options: VerifyOptions): Promise<Proved> {
  const { ports, timing, signal, undisturbed = false } = options
  const since = ports.clock.now()
  let watched = watchFrom(ports.clock.elapsed(), { undisturbed })
  let heartbeats = heartbeatsFrom(proof.shown, watched.since)
  let complainedSince: number | undefined
  for (;;) {
    const within = signal?.aborted ? Math.min(timing.unwell, proof.within) : proof.within
    const look = await lookUnlessSilent(proof, { ports, until: watched.since + within })
    if (look === undefined) {
      await ports.clock.sleep(timing.poll)
      continue
    }
    watched = observeLook(watched, look)
    const judgement = judge(watched, look, { stable: timing.stable, healthy: within, settle: proof.settle ?? 0 })
    if (judgement.kind === 'failed') throw await failure(judgement, { ports, since })
    if (judgement.kind === 'healthy') {
      const { startedAt } = watched.kubelet
      const evidence = await askNode(proof, startedAt, ports)
      heartbeats = observeHeartbeat(heartbeats, evidence?.node.heartbeat, look)
      const complaint = evidence && nodeComplaint(evidence, demandsOf(proof, heartbeats, look.at), startedAt)
      if (complaint === undefined) return { startedAt, heartbeat: heartbeats.newest }
      complainedSince ??= look.at
      // An API server that has only just come back has not heard from the kubelet yet.
      const isOver = look.at - watched.since >= within && look.at - complainedSince >= Math.min(timing.unwell, within)
      if (isOver) throw notHealthy(complaint)
    }
    if (judgement.kind === 'start') {
      await ports.services.restart(KUBELET_UNIT)
      watched = restarted(watched)
    }
    // What the Node shows costs a request each time, and changes less often than what the host shows.
    await ports.clock.sleep(judgement.kind === 'healthy' ? 4 * timing.poll : timing.poll)
  }
}

/** What is healthy in its time is observed for as long as it takes. */
function judge(watched: Watched, look: Look, { stable, healthy, settle }: Limits & { readonly settle: number }): Judgement {
  const isHealthy = judgeHealth(watched, look, { stable, healthy }).kind === 'healthy'
  return judgeHealth(watched, look, { stable: Math.max(stable, settle), healthy: isHealthy ? healthy + settle : healthy })
}

/** A service manager that does not answer is no fault of the kubelet's; but one that never does proves nothing either. */
async function lookUnlessSilent(
  proof: Proof,
  { ports, until }: { readonly ports: VerifyPorts; readonly until: number },
): Promise<Look | undefined> {
  return observeHealth(proof, ports).catch((error: unknown) => {
    if (ports.clock.elapsed() >= until) throw error
    return undefined
  })
}

export async function observeHealth(
  { healthz, runtime, units = [], unitsIfKnown = [] }: Pick<Proof, 'healthz' | 'runtime' | 'units' | 'unitsIfKnown'>,
  { services, kubelet, clock }: Omit<VerifyPorts, 'node'>,
): Promise<Look> {
  const service = await services.show(KUBELET_UNIT)
  const looked = await services.showAll([...units, ...unitsIfKnown])
  const others = looked.filter(({ unit, service: { isGone } }) => !isGone || units.includes(unit))
  const health = healthz === undefined ? { ok: true, detail: 'no health endpoint' } : await kubelet.healthz(healthz)
  const answer = runtime === undefined ? { ok: true, detail: 'not known' } : await kubelet.runtime(runtime)
  return { at: clock.elapsed(), now: clock.now(), service, health, runtime: answer, units: others }
}

interface EvidenceOptions {
  readonly ports: Pick<AgentPorts, 'node' | 'kubelet'>
  /** Whether the kubelet is asked for its certificate. Default: false. */
  readonly served?: boolean | undefined
  /** Whether the API server is asked over a new connection. Default: false. */
  readonly newConnection?: boolean | undefined
}

/** @returns how far the question came when there is no evidence */
export async function evidenceFrom(
  startedAt: number,
  { ports: { node: api, kubelet }, served: isAsked = false, newConnection = false }: EvidenceOptions,
): Promise<NodeEvidence | Reach> {
  const node = await api.get({ newConnection }).catch(reachOf)
  if (typeof node === 'string') return node
  const leaseRenewed = isAmbiguous(startedAt, node) ? await api.leaseRenewed().catch(() => undefined) : undefined
  const served = isAsked && node.endpoint ? await kubelet.serves(node.endpoint) : undefined
  return { node, leaseRenewed, served }
}

/** @returns undefined when nothing is asked of the Node, or the API server does not answer */
async function askNode(proof: Proof, startedAt: number, ports: VerifyPorts): Promise<NodeEvidence | undefined> {
  if (!proof.ready && proof.version === undefined && !proof.heartbeat && !proof.served) return undefined
  const evidence = await evidenceFrom(startedAt, { ports, served: proof.served })
  return typeof evidence === 'string' ? undefined : evidence
}

/** What the kubelet serves, it shows itself. */
function demandsOf(proof: Proof, heartbeats: HeartbeatRecord, at: number): NodeDemands {
  return isOfTheBackup(heartbeats, at) ? { ready: false, served: proof.served } : proof
}

export function looksHealthy({ service, health }: Pick<Look, 'service' | 'health'>): boolean {
  return service.active === 'active' && service.mainPid !== 0 && health.ok
}

async function failure(
  { message, unit = KUBELET_UNIT }: Extract<Judgement, { kind: 'failed' }>,
  { ports, since }: { readonly ports: VerifyPorts; readonly since: number },
): Promise<AgentError> {
  const words = await ports.services.lastWords(unit, since - 1000).catch(() => [])
  const reason = reasonIn(words)
  return notHealthy(reason === undefined ? message : `${message}: ${reason}`)
}

function notHealthy(message: string): AgentError {
  return new AgentError(message, { kind: 'validate', reason: 'HealthCheckFailed' })
}
