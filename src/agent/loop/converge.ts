import { randomUUID } from 'node:crypto'
import { atMost, type Disruption, greatest } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import { parseRebootOrder } from '../../protocol/reboot-order.ts'
import { type AgentContext, stamp } from '../context.ts'
import type { Look } from '../health/health-judge.ts'
import { hasReportedSince, type NodeDemands } from '../health/node-complaint.ts'
import type { GoneBad } from '../health/trial.ts'
import { looksHealthy, observeHealth, verifyKubelet } from '../health/verify.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { enforceOnContent, enforceOnNeeds, readHostPolicy } from '../policy/enforce-policy.ts'
import { isAccepted } from '../policy/enforce-signature.ts'
import type { HostPolicy } from '../policy/host-policy.ts'
import type { OwnNode } from '../ports.ts'
import { isRunning } from '../service-state.ts'
import type { Outcome } from '../state/state.ts'
import type { Ending, Suspended, TransactionHead } from '../transaction/journal.ts'
import { awaitStart } from '../transaction/machine-state.ts'
import type { Plan } from '../transaction/plan.ts'
import { compare, type Prospect } from '../transaction/prospect.ts'
import { stage } from '../transaction/stage.ts'
import { runTransaction } from '../transaction/transaction.ts'
import { failureOf } from '../transaction/undo.ts'
import { bringArchives } from './bring-archives.ts'
import { type Assignment, parseAssignment } from './fetch.ts'
import { Superseded } from './host-turns.ts'
import { settle } from './settle.ts'
import { asking } from './went-bad.ts'
import { withSteps } from './with-steps.ts'

export interface Work {
  /** What the host is to become; undefined: what it was before nodewave. */
  readonly goal: Assignment | undefined
  /** The Node as it was seen last, if it was. */
  readonly node: OwnNode | undefined
  /** Ends the work as long as nothing was disturbed. */
  readonly signal: AbortSignal
  /** Told once there is something to do, and waited for before it is done. */
  readonly onTaken: (outcome: Outcome) => Promise<void>
  /** Set when the host goes back by itself to what last worked; such work asks for a grant only for more than restarts. */
  readonly goingBack?: GoneBad | undefined
}

/**
 * Makes the host what it was told to be, and proves it, or puts it back. Reading the host and changing it take a turn each; what has to be
 * brought onto it in between does not.
 * @returns how it ended, which then is on disk too.
 * @throws {AgentError} when it did not come to doing anything: the host is as it was.
 * @throws {Superseded} when that is not wanted any more.
 */
export async function converge(work: Work, context: AgentContext): Promise<Outcome> {
  const { state, ports, turns } = context
  const { signal } = work
  for (;;) {
    const begun = await turns.prepare(
      signal,
      () => bringArchives(work, context),
      () => begin(work, context),
    )
    if ('blocked' in begun) return begun.blocked
    const { prospect, base } = begun
    if (prospect.plan.steps.length > 0 || begun.reboots) await work.onTaken(base)
    const outcome = await turns.prepare(
      signal,
      () => stage(prospect.target, prospect.plan, { ports, paths: state.paths, signal }),
      () => act(begun, { work, context }),
    )
    // Undefined: something was repaired meanwhile, and what is to be done is another thing.
    if (outcome !== undefined) return outcome
  }
}

interface Begun {
  readonly prospect: Prospect
  readonly base: Outcome
  /** The assignment asks for a reboot, and the machine has not had it. */
  readonly reboots: boolean
}

async function begin(work: Work, context: AgentContext): Promise<Begun | { readonly blocked: Outcome }> {
  const { goal, goingBack } = work
  await requireBad(goingBack, context)
  // What last worked comes back whatever the policy says: a host without a kubelet is no safer.
  const policy = goingBack === undefined ? await readHostPolicy(context.ports.files) : {}
  if (goingBack === undefined) enforceOnContent(policy, goal?.content ?? {}, context.kinds)
  const compared = await compare(goal?.content ?? {}, context)
  const { strange } = compared
  // What goes back by itself does what it can.
  if (goingBack === undefined) for (const { error } of strange) throw error
  const reboots = await isToReboot(work, context)
  const prospect = goingBack ? compared : await stepsAround(compared, { policy, reboots, context })
  const { plan } = prospect
  const needs = greatest([plan.needs, reboots ? 'reboot' : 'none'])
  enforceOnNeeds(policy, needs)
  const base = { ...(await beginning(work, context)), ...whyReboot(plan) }
  if (atMost(needs, await allowedDisruption(work, context))) return { prospect, base, reboots }
  const blocked: Outcome = goingBack
    ? asking({ last: base, now: stamp(context.ports) }, goingBack.because, needs)
    : { ...base, phase: 'Blocked', needs }
  await context.state.setOutcome(blocked)
  return { blocked }
}

function stepsAround(
  prospect: Prospect,
  {
    policy,
    reboots,
    context: { ports, state },
  }: Pick<Begun, 'reboots'> & { readonly policy: HostPolicy; readonly context: AgentContext },
): Promise<Prospect> {
  return withSteps(prospect, { policy, reboots, ports, paths: state.paths })
}

/** The assignment names the boot that is to end. */
async function isToReboot({ goal, goingBack }: Work, { ports }: AgentContext): Promise<boolean> {
  const order = parseRebootOrder(goal?.desired.REBOOT)
  return goingBack === undefined && order !== undefined && order.boot === (await ports.services.bootId())
}

/** What counts only after a reboot, for the status. */
function whyReboot({ steps }: Plan): Pick<Outcome, 'reboot'> {
  const subjects = steps.filter(({ change }) => change.awaits === 'boot').flatMap(({ change }) => change.subjects)
  return subjects.length === 0 ? {} : { reboot: subjects }
}

/** A node that went bad may always restart what it runs; for more than that it asks, as everybody does. */
async function allowedDisruption({ goal, goingBack, node }: Work, context: AgentContext): Promise<Disruption> {
  if (goingBack === undefined) return goal?.desired.GRANT ?? 'restart'
  const text = node?.annotations[namesFor(context.options.prefix).desiredConfig]
  return text !== undefined && (await isAccepted(text, context)) ? greatest(['restart', grantOf(text)]) : 'restart'
}

function grantOf(text: string): Disruption {
  try {
    return parseAssignment(text).GRANT ?? 'none'
  } catch {
    return 'none'
  }
}

async function act(
  { prospect, base, reboots }: Begun,
  { work, context }: { readonly work: Work; readonly context: AgentContext },
): Promise<Outcome | undefined> {
  const { goal, signal, goingBack } = work
  await requireBad(goingBack, context)
  if (signal.aborted) throw new Superseded('a newer configuration was assigned')
  const found = await compare(goal?.content ?? {}, context)
  const policy = goingBack ? {} : await readHostPolicy(context.ports.files)
  const now = goingBack ? found : await stepsAround(found, { policy, reboots, context })
  if (!sameWork(now, prospect)) return undefined
  // Its kubelet may wait for a container runtime that is not there yet: neither the state before nor the proof would mean anything.
  if (now.plan.steps.length > 0 || reboots) await awaitStart(context.ports)
  if (goingBack === undefined) await context.state.setOutcome(base)
  const head = await headOf(work, { ...now, reboots }, context)
  return settle(head, await carryOut(head, now, { ...context, signal }), context)
}

/** @throws {Superseded} when the host is not made by what went bad any more, or that has held its trial after all. */
export async function requireBad(goingBack: GoneBad | undefined, { state }: AgentContext): Promise<void> {
  if (goingBack === undefined) return
  const isActive = (await state.digest('active')) === goingBack.from
  if (isActive && (await state.digest('lastKnownGood')) !== goingBack.from) return
  throw new Superseded('there is nothing to go back from any more')
}

function sameWork(a: Prospect, b: Prospect): boolean {
  const told = ({ plan }: Prospect): string =>
    JSON.stringify([plan.activation, plan.steps.map(({ change }) => [change.subjects, change.stagedFor])])
  return told(a) === told(b)
}

/** The outcome as it stands while the work is under way. */
async function beginning({ goal, goingBack, node }: Work, { state, ports }: AgentContext): Promise<Outcome> {
  const last = await state.outcome()
  if (goingBack && last) return last
  const assignment = goal?.text ?? null
  const attempts = last?.assignment === assignment && last.phase === 'Applying' ? last.attempts + 1 : 1
  const uid = node?.uid ?? (last?.assignment === assignment ? last.node : undefined)
  return {
    assignment,
    ...(uid === undefined ? {} : { node: uid }),
    ...(goal === undefined ? {} : { digest: goal.digest }),
    ...(goal?.desired.REVISION === undefined ? {} : { revision: goal.desired.REVISION }),
    phase: 'Applying',
    since: stamp(ports),
    attempts,
  }
}

async function headOf(
  work: Work,
  { target, plan, reboots }: Prospect & Pick<Begun, 'reboots'>,
  context: AgentContext,
): Promise<TransactionHead> {
  const { ports, options } = context
  const { kubelet, version } = target
  const healthzBefore = kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthzBefore
  const look = await observeHealth({ healthz: healthzBefore }, ports)
  const running = await runningOf(plan.activation.restarts, ports)
  const started = plan.steps.flatMap(({ change }) => change.effects.starts ?? [])
  const stopped = plan.steps.flatMap(({ change }) => change.effects.stops ?? [])
  const proof = {
    healthz: kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthz,
    runtime: kubelet?.runtime,
    units: [...new Set([...running, ...started])].filter((unit) => unit !== KUBELET_UNIT && !stopped.includes(unit)),
    ...(work.goingBack ? HOST_ALONE : nodeDemands(work, { version, look })),
    ...(disturbsBesideKubelet(plan) ? { settle: options.timing.told } : {}),
    within: kubelet?.fetchesVersion ? options.timing.fetched : options.timing.healthy,
    ...(stopped.includes(KUBELET_UNIT) ? { withoutKubelet: true as const } : {}),
  }
  return {
    at: 'begin',
    id: randomUUID(),
    purpose: work.goingBack ? 'fallback' : 'apply',
    ...(work.goal === undefined ? {} : { digest: work.goal.digest }),
    activation: { reload: plan.activation.reload, restarts: [...plan.activation.restarts] },
    proof,
    proofs: plan.steps.flatMap(({ change }) => change.proof ?? []),
    awaits: await awaitsOf(plan, { reboots, ports }),
    before: { healthy: looksHealthy(look), healthz: healthzBefore, running },
    because: work.goingBack?.because,
  }
}

async function awaitsOf(
  { steps }: Plan,
  { reboots, ports }: Pick<Begun, 'reboots'> & Pick<AgentContext, 'ports'>,
): Promise<TransactionHead['awaits']> {
  const awaited = steps.flatMap(({ change }) => change.awaits ?? [])
  if (awaited.length === 0 && !reboots) return undefined
  const agent = awaited.find((what) => what !== 'boot')?.agent
  const undo = awaited.includes('boot')
  return { agent, ...(undo || reboots ? { boot: await ports.services.bootId() } : {}), ...(undo && { undo }) }
}

/** Then the Node is Ready by what its kubelet found before: a broken network shows only later. */
function disturbsBesideKubelet({ needs, activation }: Prospect['plan']): boolean {
  return needs !== 'none' && !activation.restarts.includes(KUBELET_UNIT)
}

/** Going back is proved by the host alone: a Node that is slow to show it must not send the host forward again. */
const HOST_ALONE = { ready: false }

/** A Node that was not Ready, or heard nothing from its kubelet before, has something else the matter. */
function nodeDemands(
  { node }: Work,
  { version, look }: { readonly version: string | undefined; readonly look: Look },
): NodeDemands {
  const startedAt = look.now - look.service.runningFor
  const heartbeat = node !== undefined && hasReportedSince(startedAt, { node, leaseRenewed: undefined })
  return { version, ready: node?.ready ?? false, heartbeat }
}

async function runningOf(units: readonly string[], { services }: AgentContext['ports']): Promise<string[]> {
  const running: string[] = []
  for (const unit of units) if (unit !== KUBELET_UNIT && isRunning((await services.show(unit)).active)) running.push(unit)
  return running
}

const DEFAULT_HEALTHZ = 'http://127.0.0.1:10248/healthz'

/** A host that is as it should be already is not touched, and its kubelet not restarted; it only has to prove healthy. */
async function carryOut(
  head: TransactionHead,
  { plan }: Prospect,
  { ports, journal, kinds, state, options, signal }: AgentContext & { readonly signal: AbortSignal },
): Promise<Ending | Suspended> {
  const { timing } = options
  if (plan.steps.length > 0 || head.awaits !== undefined)
    return runTransaction(head, plan.steps, { ports, journal, kinds, paths: state.paths, timing, agent: options.version, signal })
  try {
    return { kind: 'kept', ...(await verifyKubelet(head.proof, { ports, timing, signal, undisturbed: true })) }
  } catch (error) {
    return { kind: 'undone', failure: failureOf(error) }
  }
}
