import { randomUUID } from 'node:crypto'
import { reachOf } from '../../kube/reach.ts'
import type { AgentContext } from '../context.ts'
import type { Look } from '../health/health-judge.ts'
import { hasReportedSince, type NodeDemands } from '../health/node-complaint.ts'
import { looksHealthy, observeHealth, type Proof } from '../health/verify.ts'
import { withAnswers } from '../kubelet/answers.ts'
import { KUBELET_UNIT } from '../paths.ts'
import { staysRunning } from '../service-state.ts'
import type { TransactionHead } from '../transaction/journal.ts'
import type { Plan } from '../transaction/plan.ts'
import type { Prospect } from '../transaction/prospect.ts'
import type { Begun } from './begin.ts'
import type { Work } from './work.ts'

/** What the journal says first of a transaction: what it is for, what proves it, and how the host was before. */
export async function headOf(
  work: Work,
  { target, plan, reboots, dropIns }: Prospect & Pick<Begun, 'reboots'>,
  context: AgentContext,
): Promise<TransactionHead> {
  const { ports, options } = context
  const { version } = target
  const upcoming = new Map(plan.steps.flatMap(({ change }) => [...(change.effects.writes ?? [])]))
  const kubelet = target.kubelet && (await withAnswers(target.kubelet, dropIns, upcoming))
  const healthzBefore = kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthzBefore
  const look = await observeHealth({ healthz: healthzBefore }, ports)
  const { reload, restarts, required, stopped: stoppedForFile } = plan.activation
  const running = await runningOf([...restarts, ...stoppedForFile], ports)
  const started = plan.steps.flatMap(({ change }) => change.effects.starts ?? [])
  const stopped = plan.steps.flatMap(({ change }) => change.effects.stops ?? [])
  const alongside = await alongsideOf({ restarts, stopped }, ports)
  const isOther = (unit: string) => unit !== KUBELET_UNIT && !stopped.includes(unit)
  const proof = {
    healthz: kubelet === undefined ? DEFAULT_HEALTHZ : kubelet.healthz,
    runtime: kubelet?.runtime,
    units: [...new Set([...running.filter((unit) => required.includes(unit)), ...started])].filter(isOther),
    unitsIfKnown: running.filter((unit) => !required.includes(unit)),
    ...(work.goingBack ? HOST_ALONE : nodeDemands(work, { version, look })),
    ...(work.goingBack ? {} : await contactOf(work, plan, context)),
    ...(disturbsBesideKubelet(plan, [...started, ...stopped]) ? { settle: options.timing.told } : {}),
    within: kubelet?.fetchesVersion ? options.timing.fetched : options.timing.healthy,
    ...(stopped.includes(KUBELET_UNIT) ? { withoutKubelet: true as const } : {}),
  }
  return {
    at: 'begin',
    id: randomUUID(),
    purpose: work.goingBack ? 'fallback' : 'apply',
    ...(work.goal === undefined ? {} : { digest: work.goal.digest }),
    activation: {
      reload,
      restarts: [...restarts],
      required: [...required],
      stopped: [...stoppedForFile],
      alongside: alongside.again,
    },
    proof,
    proofs: plan.steps.flatMap(({ change }) => (work.goingBack && change.isProvedByNode ? [] : (change.proof ?? []))),
    awaits: await awaitsOf(plan, { reboots, ports }),
    before: { healthy: looksHealthy(look), healthz: healthzBefore, running: [...running, ...alongside.ran] },
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

/** A broken network shows only later: a kubelet that goes on says what it found before, and a daemon that has just started may still be at work. */
function disturbsBesideKubelet({ needs, activation: { restarts } }: Plan, others: readonly string[]): boolean {
  return needs !== 'none' && (!restarts.includes(KUBELET_UNIT) || [...restarts, ...others].some((unit) => unit !== KUBELET_UNIT))
}

/** Going back is proved by the host alone: a Node that is slow to show it must not send the host forward again. */
const HOST_ALONE = { ready: false }

/** A Node that was not Ready, or heard nothing from its kubelet before, has something else the matter. */
function nodeDemands(
  { node }: Work,
  { version, look }: { readonly version: string | undefined; readonly look: Look },
): NodeDemands & Pick<Proof, 'shown'> {
  const startedAt = look.now - look.service.runningFor
  const heartbeat = node !== undefined && hasReportedSince(startedAt, { node, leaseRenewed: undefined })
  return { version, ready: node?.ready ?? false, heartbeat, shown: node?.heartbeat }
}

type ContactProof = Pick<Proof, 'change' | 'contact' | 'away' | 'served'>

function contactOf(work: Work, plan: Plan, { ports, state }: AgentContext): Promise<ContactProof> {
  return plan.steps.length === 0 ? unheard(work, state) : heard(plan, ports)
}

/** The API server has to be heard of after the change, and whoever came through it has to come again. */
async function heard(plan: Plan, { node, kubelet }: AgentContext['ports']): Promise<ContactProof> {
  const answer = await node.get({ newConnection: true }).catch(reachOf)
  if (typeof answer === 'string') return { contact: true, ...(answer !== 'server' && { away: true }) }
  const isAsked = plan.activation.restarts.includes(KUBELET_UNIT) && answer.endpoint !== undefined
  return { contact: true, served: isAsked && (await kubelet.serves(answer.endpoint)).ok }
}

/** Where nothing is changed, the API server has to be heard of still if it has not been since the change that is on the host. */
async function unheard({ goal }: Work, state: AgentContext['state']): Promise<ContactProof> {
  const active = await state.digest('active')
  if (active === undefined || active === (await state.digest('lastKnownGood'))) return {}
  // An agent that died may have written down what this one has to show, and not yet that it is active.
  const { change, contact, away } = (await state.trial(active)) ?? (goal && (await state.trial(goal.digest))) ?? {}
  return contact ? { change, contact, away } : { change }
}

/** Units that run, and that the service manager stops together with others: all, and those that are started again when all is in place. */
async function alongsideOf(
  { restarts, stopped }: { readonly restarts: readonly string[]; readonly stopped: readonly string[] },
  ports: AgentContext['ports'],
): Promise<{ readonly ran: string[]; readonly again: string[] }> {
  const withStopped = await ports.services.stoppedWith(stopped)
  const withRestarted = await ports.services.stoppedWith(restarts)
  const known = [...restarts, ...stopped]
  const others = [...withStopped, ...withRestarted].filter((unit) => !known.includes(unit))
  const ran = await runningOf([...new Set(others)], ports)
  return { ran, again: ran.filter((unit) => !withStopped.includes(unit)) }
}

async function runningOf(units: readonly string[], { services }: AgentContext['ports']): Promise<string[]> {
  const others = await services.showAll(units.filter((unit) => unit !== KUBELET_UNIT))
  return others.filter(({ service }) => staysRunning(service)).map(({ unit }) => unit)
}

const DEFAULT_HEALTHZ = 'http://127.0.0.1:10248/healthz'
