import { API_SERVER_AWAY, API_SERVER_LOST, ERROR_OPENINGS } from '../../protocol/agent-status.ts'
import { type AgentContext, stamp } from '../context.ts'
import { reasonIn } from '../kubelet/kubelet-words.ts'
import { noteOutcome } from '../loop/note-outcome.ts'
import { sweep } from '../loop/settle.ts'
import { heard } from '../loop/went-bad.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { afterTrial } from '../state/pointers.ts'
import type { Missed } from '../state/state.ts'
import type { Failure } from '../transaction/journal.ts'
import { LONGEST_START } from '../transaction/machine-state.ts'
import { activeBlueprint, compare } from '../transaction/prospect.ts'
import type { Look } from './health-judge.ts'
import { nodeComplaint } from './node-complaint.ts'
import type { ProcessRecord } from './process-record.ts'
import {
  goingOn,
  judgeTrial,
  missedBy,
  observeTrial,
  type TrialLook,
  type TrialRecord,
  type TrialSubject,
  type TrialVerdict,
  trialFrom,
  troubleIn,
} from './trial-judge.ts'
import { evidenceFrom, observeHealth, type Proof } from './verify.ts'

/** What the content asks for, which is read once. */
interface TrialSettings {
  readonly digest: string
  readonly duration: number
  readonly proof: Pick<Proof, 'healthz' | 'runtime'>
}

/** The same with what the change has to show, which is another thing when the same content is applied once more. */
interface TrialDemanded {
  readonly duration: number
  /** The transaction that last changed the host. */
  readonly change: string | undefined
  /** The kubelet's heartbeat on the Node when the change was proved. */
  readonly shown: number | undefined
  readonly missed: Missed | undefined
  readonly proof: TrialSettings['proof'] & Pick<Proof, 'units' | 'ready' | 'heartbeat' | 'contact' | 'away'>
}

/** A configuration that did not hold its trial. */
export interface GoneBad {
  readonly because: Failure
  /** Its digest. */
  readonly from: string
}

/**
 * After a configuration was applied its health must hold for a while before it becomes last-known-good. An agent that starts again
 * begins the trial again: what it did not see, it does not count.
 */
export class Trial {
  readonly #context: AgentContext
  readonly #onHeard: () => Promise<void>
  #record: TrialRecord | undefined
  #settings: TrialSettings | undefined

  /** @param onHeard the API server has answered for the first time since the change */
  constructor(context: AgentContext, onHeard: () => Promise<void>) {
    this.#context = context
    this.#onHeard = onHeard
  }

  /** @returns why the active configuration has to go; `none` when there is no trial. */
  async look(): Promise<'holding' | 'passed' | 'none' | GoneBad> {
    const { state, options, ports } = this.#context
    const digest = await state.digest('active')
    if (digest === undefined || digest === (await state.digest('lastKnownGood'))) return this.#none()
    // An agent that starts again should know it.
    await state.writeUntold().catch((error: unknown) => this.#notWritten(error))
    const { duration, proof, change, ...known } = await this.#demandedOf(digest)
    const host = await observeHealth(proof, ports)
    if (this.#record?.digest !== digest || this.#record.change !== change)
      this.#record = await this.#begun({ digest, change }, host.at, known)
    const look = await this.#completed(this.#record, host, proof)
    if (proof.contact && !look.isUnheard) await this.#heard(digest)
    const { record, verdict } = judgeTrial(this.#record, look, { ...options.timing, duration })
    this.#record = record
    if (look.isUnheard) await this.#noteMissed(record, look.at)
    if (verdict.kind === 'failed' || verdict.kind === 'cut off') {
      // Should the host stay as it is, it is judged by what it shows from now on. A kubelet has been silent all the same.
      this.#record = { ...trialFrom(record, host.at), heartbeats: record.heartbeats }
      return { because: await this.#failure(verdict, proof), from: digest }
    }
    if (verdict.kind === 'holding') return 'holding'
    await state.pointAll(afterTrial(digest))
    await sweep(this.#context)
    return 'passed'
  }

  /** What was on trial may come back: its trial begins again then. */
  #none(): 'none' {
    this.#record = undefined
    this.#settings = undefined
    return 'none'
  }

  async #begun(
    subject: TrialSubject,
    at: number,
    { shown, missed }: Pick<TrialDemanded, 'shown' | 'missed'>,
  ): Promise<TrialRecord> {
    const { ports, options } = this.#context
    const record = trialFrom(subject, at, shown)
    if (missed === undefined) return record
    return goingOn(record, missed, { boot: await ports.services.bootId(), lost: options.timing.lost })
  }

  /** An agent that starts again and again would never go back. */
  async #noteMissed(record: TrialRecord, at: number): Promise<void> {
    const { state, ports } = this.#context
    const missed = missedBy(record, { at, boot: await ports.services.bootId() })
    const demands = await state.trial(record.digest)
    if (missed === undefined || demands === undefined) return
    await state.setTrial({ ...demands, missed }).catch((error: unknown) => this.#notWritten(error))
  }

  #notWritten(error: unknown): void {
    this.#context.ports.log.warn('trial not written', { error: String(error) })
  }

  async #completed(before: TrialRecord, host: Look, proof: TrialDemanded['proof']): Promise<TrialLook> {
    const { ports } = this.#context
    const { kubelet } = observeTrial(before, {
      ...host,
      ...UNASKED,
      isUnheard: false,
      wasAway: false,
      isStarting: false,
    })
    const asked = proof.ready || proof.heartbeat || proof.contact ? await askNode(proof, kubelet, ports) : UNASKED
    const { node } = asked
    const isUnheard = proof.contact === true && node.kind === 'unknown' && node.reach !== 'server'
    const isCalm = troubleIn(host) === undefined && node.kind !== 'complaint' && !isUnheard
    const mayBeStarting = !isCalm && host.at - before.startedAt < LONGEST_START
    const wasAway = proof.away === true
    return { ...host, ...asked, isUnheard, wasAway, isStarting: mayBeStarting && (await ports.services.machine()) === 'starting' }
  }

  /** Whatever becomes of the API server later is not the change's fault. Noted last: who dies before hears of the API server again. */
  async #heard(digest: string): Promise<void> {
    const { state, ports } = this.#context
    const demands = await state.trial(digest)
    const last = await state.outcome()
    const outcome = last && heard({ last, now: stamp(ports) })
    if (outcome !== undefined && outcome !== last) await noteOutcome(outcome, this.#context)
    const trouble = demands && (await state.noteTrial({ ...demands, contact: false, missed: undefined }))
    if (trouble !== undefined) this.#notWritten(trouble)
    await this.#onHeard()
  }

  async #demandedOf(digest: string): Promise<TrialDemanded> {
    const { duration, proof } = await this.#settingsOf(digest)
    const demands = await this.#context.state.trial(digest)
    const { ready = false, heartbeat = false, units = [], contact, away, shown, change, missed } = demands ?? {}
    return { duration, shown, change, missed, proof: { ...proof, ready, heartbeat, units, contact, away } }
  }

  async #settingsOf(digest: string): Promise<TrialSettings> {
    if (this.#settings?.digest === digest) return this.#settings
    const { state, options } = this.#context
    // One that cannot be read any more is judged by what the host shows.
    const isReadable = typeof (await activeBlueprint(this.#context)) === 'object'
    const active = isReadable ? await state.restore(digest) : undefined
    const { target } = await compare(active?.content ?? {}, this.#context)
    const duration = target.trialSeconds === undefined ? options.timing.trial : target.trialSeconds * 1000
    this.#settings = { digest, duration, proof: { healthz: target.kubelet?.healthz, runtime: target.kubelet?.runtime } }
    return this.#settings
  }

  async #failure(
    verdict: Extract<TrialVerdict, { kind: 'failed' | 'cut off' }>,
    { away }: TrialDemanded['proof'],
  ): Promise<Failure> {
    const { ports } = this.#context
    if (verdict.kind === 'cut off') return cutOff(verdict.for, away === true)
    const { message, unit = KUBELET_UNIT } = verdict
    const words = await ports.services.lastWords(unit, ports.clock.now() - 60_000).catch(() => [])
    const subject = unit === KUBELET_UNIT ? 'kubelet' : unit
    const detail = reasonIn(words) ?? message
    return { reason: 'TrialFailed', message: `${ERROR_OPENINGS.validate}: ${subject} went bad during its trial: ${detail}` }
  }
}

type Asked = Pick<TrialLook, 'node' | 'heartbeat'>

const UNASKED: Asked = { node: { kind: 'fine' }, heartbeat: undefined }

function cutOff(milliseconds: number, wasAway: boolean): Failure {
  const before = wasAway ? 'did not answer before the change' : 'answered right before the change'
  const message = `the API server ${before}, and not once in the ${Math.round(milliseconds / 1000)} s after it`
  return { reason: wasAway ? API_SERVER_AWAY : API_SERVER_LOST, message: `${ERROR_OPENINGS.validate}: ${message}` }
}

async function askNode(
  proof: TrialDemanded['proof'],
  { pid, startedAt }: ProcessRecord,
  ports: AgentContext['ports'],
): Promise<Asked> {
  // Over a connection that stood before the change, a host may be answered that can make no other.
  const evidence = await evidenceFrom(startedAt, { ports, newConnection: proof.contact })
  if (typeof evidence === 'string') return { node: { kind: 'unknown', reach: evidence }, heartbeat: undefined }
  const { heartbeat } = evidence.node
  // Without a process there is nobody who could have reported; that is for the host's own evidence to judge.
  const message = pid === 0 ? undefined : nodeComplaint(evidence, proof, startedAt)
  return { node: message === undefined ? { kind: 'fine' } : { kind: 'complaint', message }, heartbeat }
}
