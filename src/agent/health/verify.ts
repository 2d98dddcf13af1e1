import { AgentError } from '../agent-error.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import { sameVersion } from '../kubelet/versions.ts'
import type { Timing } from '../options.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { AgentPorts, OwnNode } from '../ports.ts'
import { judgeHealth, type Look, observeLook, watchFrom } from './health-judge.ts'

/** What a healthy kubelet has to show. */
export interface Proof {
  /** Where it answers; undefined: nowhere, then running is all it can show. */
  readonly healthz?: string | undefined
  /** The version that the Node must come to report. */
  readonly version?: string | undefined
  /** Whether the Node must be Ready: not when it was not before, since then something else is the matter. */
  readonly ready: boolean
  /** Milliseconds until it must be healthy. */
  readonly within: number
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
 * Watches the kubelet until it has proved healthy, or until it is clear that it will not be.
 *
 * What counts first is what the host itself shows: the same process running for a while, and its health endpoint. Ready alone proves
 * nothing (it stays true for 50 s after a kubelet died), so it is only asked after that. And an API server that does not answer is no
 * fault of the kubelet's: then the host's own evidence is enough, or an outage would roll back every node that just changed.
 *
 * @throws {AgentError} HealthCheckFailed, with the kubelet's own last words
 */
export async function verifyKubelet(proof: Proof, options: VerifyOptions): Promise<void> {
  const { ports, timing, signal, undisturbed = false } = options
  const since = ports.clock.now()
  let watched = watchFrom(ports.clock.elapsed(), { undisturbed })
  for (;;) {
    const within = signal?.aborted ? Math.min(timing.unwell, proof.within) : proof.within
    const look = await lookAt(proof, ports).catch((error: unknown) => {
      // A service manager that does not answer is no fault of the kubelet's; but one that never does proves nothing either.
      if (ports.clock.elapsed() - watched.startedAt >= within) throw error
    })
    if (look === undefined) {
      await ports.clock.sleep(timing.poll)
      continue
    }
    watched = observeLook(watched, look)
    const judgement = judgeHealth(watched, look, { stable: timing.stable, healthy: within })
    if (judgement.kind === 'failed') throw await failure(judgement.message, { ports, since })
    if (judgement.kind === 'healthy') {
      const complaint = nodeComplaint(await ports.node.get().catch(() => undefined), proof)
      if (complaint === undefined) return
      if (look.at - watched.startedAt >= within) throw await failure(complaint, { ports, since })
    }
    if (judgement.kind === 'start') {
      await ports.services.restart(KUBELET_UNIT)
      watched = { ...watched, down: false }
    }
    // What the Node shows costs a request each time, and changes less often than what the host shows.
    await ports.clock.sleep(judgement.kind === 'healthy' ? 4 * timing.poll : timing.poll)
  }
}

export async function lookAt({ healthz }: Pick<Proof, 'healthz'>, ports: Omit<VerifyPorts, 'node'>): Promise<Look> {
  const service = await ports.services.show(KUBELET_UNIT)
  const health = healthz === undefined ? { ok: true, detail: 'no health endpoint' } : await ports.kubelet.healthz(healthz)
  return { at: ports.clock.elapsed(), service, health }
}

export function looksHealthy({ service, health }: Look): boolean {
  return service.active === 'active' && service.mainPid !== 0 && health.ok
}

function nodeComplaint(node: OwnNode | undefined, { version, ready }: Proof): string | undefined {
  if (node === undefined) return undefined
  if (version !== undefined && !sameVersion(node.kubeletVersion, version))
    return `the Node reports kubelet "${node.kubeletVersion}", expected "${version}"`
  return ready && !node.ready ? 'the Node is not Ready' : undefined
}

async function failure(
  message: string,
  { ports, since }: { readonly ports: VerifyPorts; readonly since: number },
): Promise<AgentError> {
  const words = await ports.services.lastWords(KUBELET_UNIT, since - 1000).catch(() => [])
  const reason = reasonIn(words)
  return new AgentError(reason === undefined ? message : `${message}: ${reason}`, {
    kind: 'validate',
    reason: 'HealthCheckFailed',
  })
}
