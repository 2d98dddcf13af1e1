import { ERROR_OPENINGS } from '../../protocol/agent-status.ts'
import type { AgentContext } from '../context.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import { sweep } from '../loop/settle.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { Failure } from '../transaction/journal.ts'
import { compare } from '../transaction/prospect.ts'
import type { Look } from './health-judge.ts'
import { lookAt, looksHealthy } from './verify.ts'

/** What the looks during a trial have shown. Monotonic milliseconds. */
export interface TrialRecord {
  readonly digest: string
  readonly startedAt: number
  /** Restarts that the service manager had counted when the trial began. */
  readonly restarts: number
  /** Since when the kubelet has not been healthy; undefined while it is. */
  readonly unwellSince: number | undefined
}

export type TrialVerdict = 'holding' | 'passed' | 'failed'

/** The kubelet dies and comes back between two looks: this many times is no accident. */
const RESTARTS_TO_FAIL = 3

/** Pure. */
export function judgeTrial(
  record: TrialRecord,
  look: Look,
  limits: { readonly duration: number; readonly unwell: number },
): { readonly record: TrialRecord; readonly verdict: TrialVerdict } {
  const well = looksHealthy(look)
  // What somebody stopped did not go bad: nothing that dies of itself is `inactive` under a unit that restarts it.
  const isStopped = look.service.active === 'inactive'
  const unwellSince = well || isStopped ? undefined : (record.unwellSince ?? look.at)
  const next = { ...record, unwellSince, restarts: Math.min(record.restarts, look.service.restarts) }
  const looping = look.service.restarts - next.restarts >= RESTARTS_TO_FAIL
  if (looping || (unwellSince !== undefined && look.at - unwellSince >= limits.unwell)) return { record: next, verdict: 'failed' }
  return { record: next, verdict: well && look.at - record.startedAt >= limits.duration ? 'passed' : 'holding' }
}

/**
 * After a configuration was applied its health must hold for a while before it becomes last-known-good. An agent that starts anew
 * begins the trial anew: what it did not see, it does not count.
 */
export class Trial {
  readonly #context: AgentContext
  #record: TrialRecord | undefined
  #settings: { readonly digest: string; readonly duration: number; readonly healthz: string | undefined } | undefined

  constructor(context: AgentContext) {
    this.#context = context
  }

  /** @returns why the active configuration has to go, `holding` while that is open, undefined when there is no trial. */
  async look(): Promise<'holding' | Failure | undefined> {
    const { state, ports, options } = this.#context
    const digest = await state.digest('active')
    if (digest === undefined || digest === (await state.digest('lastKnownGood'))) return undefined
    const { duration, healthz } = await this.#settingsOf(digest)
    const look = await lookAt({ healthz }, ports)
    if (this.#record?.digest !== digest)
      this.#record = { digest, startedAt: look.at, restarts: look.service.restarts, unwellSince: undefined }
    const { record, verdict } = judgeTrial(this.#record, look, { duration, unwell: options.timing.unwell })
    this.#record = record
    if (verdict === 'failed') return this.#failure(look)
    if (verdict === 'holding') return 'holding'
    await state.point('lastKnownGood', digest)
    await sweep(this.#context)
    return undefined
  }

  async #settingsOf(digest: string) {
    if (this.#settings?.digest === digest) return this.#settings
    const active = await this.#context.state.restore(digest)
    const { target } = await compare(active?.content ?? {}, this.#context)
    const duration = target.trialSeconds === undefined ? this.#context.options.timing.trial : target.trialSeconds * 1000
    this.#settings = { digest, duration, healthz: target.kubelet?.healthz }
    return this.#settings
  }

  async #failure({ service, health }: Look): Promise<Failure> {
    const { ports } = this.#context
    const words = await ports.services.lastWords(KUBELET_UNIT, ports.clock.now() - 60_000).catch(() => [])
    const detail = reasonIn(words) ?? (service.active === 'active' ? health.detail : `its service is ${service.active}`)
    return { reason: 'TrialFailed', message: `${ERROR_OPENINGS.validate}: kubelet went bad during its trial: ${detail}` }
  }
}
