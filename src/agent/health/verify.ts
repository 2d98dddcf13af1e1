import { type Reach, reachOf } from '../../kube/reach.ts'
import { AgentError } from '../agent-error.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import type { Timing } from '../options.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'
import { type Judgement, judgeHealth, type Look, observeLook, restarted, type Watched, watchFrom } from './health-judge.ts'
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
  /** The API server answered right before the change: it has to be heard of once after it. */
  readonly contact?: boolean | undefined
}

/** What was proved. */
export interface Proved {
  /** Wall clock in milliseconds: when the kubelet's process was started. */
  readonly startedAt: number
  /** The kubelet's last one, as the Node showed it; undefined when nobody asked, or the API server did not answer. */
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
 * or an outage would roll back every node that just changed.
 *
 * @throws {AgentError} HealthCheckFailed, with the last words of the unit that is to blame
 */
export async function verifyKubelet(proof: Proof, options: VerifyOptions): Promise<Proved> {
  const { ports, timing, signal, undisturbed = false } = options
  const since = ports.clock.now()
  let watched = watchFrom(ports.clock.elapsed(), { undisturbed })
  let complainedSince: number | undefined
  for (;;) {
    const within = signal?.aborted ? Math.min(timing.unwell, proof.within) : proof.within
    const look = await lookUnlessSilent(proof, { ports, until: watched.since + within })
    if (look === undefined) {
      await ports.clock.sleep(timing.poll)
      continue
    }
    watched = observeLook(watched, look)
    const judgement = judgeHealth(watched, look, { stable: Math.max(timing.stable, proof.settle ?? 0), healthy: within })
    if (judgement.kind === 'failed') throw await failure(judgement, { ports, since })
    if (judgement.kind === 'healthy') {
      const { complaint, heartbeat } = await askNode(proof, watched, ports)
      if (complaint === undefined) return { startedAt: watched.kubelet.startedAt, heartbeat }
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
}

/** @returns how far the question came when there is no evidence */
export async function evidenceFrom(
  startedAt: number,
  { ports: { node: api, kubelet }, served: isAsked = false }: EvidenceOptions,
): Promise<NodeEvidence | Reach> {
  const node = await api.get().catch(reachOf)
  if (typeof node === 'string') return node
  const leaseRenewed = isAmbiguous(startedAt, node) ? await api.leaseRenewed().catch(() => undefined) : undefined
  const served = isAsked && node.endpoint ? await kubelet.serves(node.endpoint) : undefined
  return { node, leaseRenewed, served }
}

interface NodeAnswer {
  readonly complaint?: string | undefined
  readonly heartbeat?: number | undefined
}

async function askNode(proof: Proof, { kubelet }: Watched, ports: VerifyPorts): Promise<NodeAnswer> {
  if (!proof.ready && proof.version === undefined && !proof.heartbeat && !proof.served) return {}
  const evidence = await evidenceFrom(kubelet.startedAt, { ports, served: proof.served })
  if (typeof evidence === 'string') return {}
  return { complaint: nodeComplaint(evidence, proof, kubelet.startedAt), heartbeat: evidence.node.heartbeat }
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
