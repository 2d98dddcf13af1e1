import { randomUUID } from 'node:crypto'
import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { type DriftPolicy, type DriftRules, REPAIRS_PER_HOUR, statedPolicy } from '../../protocol/drift-policy.ts'
import { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import { isAccepted } from '../policy/accept-assignment.ts'
import { enforceOnContent, enforceOnNeeds, readHostPolicy } from '../policy/enforce-policy.ts'
import { readDocument } from '../resources/read-document.ts'
import type { TransactionHead } from '../transaction/journal.ts'
import { harmlessRepairs, type Step } from '../transaction/plan.ts'
import { type Among, activeBlueprint, compare } from '../transaction/prospect.ts'
import { runTransaction } from '../transaction/transaction.ts'
import type { Assignment } from './fetch.ts'
import type { Fights } from './fights.ts'
import type { Repairs } from './repairs.ts'
import { settle } from './settle.ts'
import { askingToMerge, isAskingToMerge, recovered } from './went-bad.ts'

export interface DriftLook {
  /** What earlier repairs came to. */
  readonly repairs: Repairs
  readonly fights: Fights
  /** What is compared, since somebody has changed it. Default: all. */
  readonly among?: Among | undefined
}

/** What is not as it was applied. */
export interface Drift {
  /** Paths and units that a repair would disturb the node for, that the policy leaves alone, or that did not stay repaired. */
  readonly left: readonly string[]
  /** Of these, what another tool changes each time that it is put back. */
  readonly contested: readonly string[]
}

export const NO_DRIFT: Drift = { left: [], contested: [] }

/**
 * Compares the host with its active configuration, and repairs what the policy lets it, if that restarts nothing. Where a repair takes more,
 * and the policy asks for it, or others have rewritten what the configuration goes over, as `kubeadm upgrade node` does, the assignment is
 * applied once more.
 */
export async function repairDrift({ repairs, fights, among }: DriftLook, context: AgentContext): Promise<Drift> {
  const { state, ports } = context
  // What this agent cannot read it cannot compare with; the status says so.
  const digest = typeof (await activeBlueprint(context)) === 'object' ? await state.digest('active') : undefined
  const active = digest && (await state.restore(digest))
  if (!active) return NO_DRIFT
  const { plan, strange, rebased, overridden } = await compare(active.content, context, among)
  const rules = rulesIn(active.content, context)
  const watched = plan.steps.filter((step) => policyOf(step, rules) !== 'Ignore')
  const contested = fights.contested(watched.flatMap(subjectsOf), active.digest)
  const repairable = watched.filter((step) => policyOf(step, rules) !== 'Report' && !isAmong(step, contested))
  const harmless = (await mayRepair(active.content, context)) ? harmlessRepairs({ ...plan, steps: repairable }) : []
  const { due, stubborn } = repairs.sort(harmless.flatMap(subjectsOf), ports.clock.elapsed(), { among })
  const limit = { digest: active.digest, most: rules.drift.repairsPerHour ?? REPAIRS_PER_HOUR }
  if (due.length > 0) {
    ports.log.warn('drift is repaired', { paths: due })
    const isRepaired = await repair(
      harmless.filter((step) => isAmong(step, due)),
      plan.activation.reload,
      context,
    )
    if (isRepaired) {
      repairs.done(due)
      fights.repaired(due, { ...limit, at: ports.clock.elapsed() })
    }
  }
  const disturbing = repairable.filter((step) => !harmless.includes(step))
  const changed = disturbing.filter((step) => isAmong(step, rebased) || policyOf(step, rules) === 'Repair').flatMap(subjectsOf)
  const merged = changed.length > 0 && (await mayMerge({ active, needs: plan.needs }, context)) ? changed : []
  const isAsked = await merge(
    {
      merged,
      // What only a part was looked at for may be drift still.
      isDone: among === undefined && disturbing.length === 0,
      isPooled: active.desired.POOL !== undefined,
      needs: plan.needs,
    },
    context,
  )
  if (isAsked) fights.repaired(merged, { ...limit, at: ports.clock.elapsed() })
  const left = watched.filter((step) => !harmless.includes(step)).flatMap(subjectsOf)
  return { left: [...left, ...stubborn, ...strange.map(({ subject }) => subject), ...overridden], contested }
}

interface Rules {
  readonly drift: DriftRules
  readonly kinds: AgentContext['kinds']
}

function rulesIn(content: NodeContent, { kinds }: AgentContext): Rules {
  return { drift: readDocument(content, kinds).drift ?? {}, kinds }
}

/** Undefined: nothing is said of it. */
function policyOf({ change }: Step, { drift, kinds }: Rules): DriftPolicy | undefined {
  return statedPolicy(drift, kinds.driftKind(change.kind))
}

/** What a look at a part says, and what the looks before said of the rest; in their order, so that the same drift is no news. */
export function joinDrift(before: Drift, found: Drift, among: Among): Drift {
  const join = (old: readonly string[], now: readonly string[]): readonly string[] => {
    const kept = old.filter((subject) => !among(subject) || now.includes(subject))
    return [...kept, ...now.filter((subject) => among(subject) && !old.includes(subject))]
  }
  return { left: join(before.left, found.left), contested: join(before.contested, found.contested) }
}

function isAmong(step: Step, subjects: readonly string[]): boolean {
  return subjectsOf(step).some((subject) => subjects.includes(subject))
}

/** What the owner of the host forbids by now is not put back either; nor is anything while the host is locked. */
async function mayRepair(content: NodeContent, { ports, kinds }: AgentContext): Promise<boolean> {
  try {
    enforceOnContent(await readHostPolicy(ports.files), content, kinds)
    return true
  } catch (error) {
    ports.log.warn('drift is not repaired', { because: (error as Error).message })
    return false
  }
}

/** What would be refused for good is drift: to try it would make an assignment that holds a rejected one. */
async function mayMerge(
  { active, needs }: { readonly active: Assignment; readonly needs: Disruption },
  context: AgentContext,
): Promise<boolean> {
  const { ports, kinds } = context
  try {
    const policy = await readHostPolicy(ports.files)
    enforceOnContent(policy, active.content, kinds)
    enforceOnNeeds(policy, needs)
    // With a grant comes another assignment, signed or not; without one this is taken up again.
    return active.desired.POOL !== undefined || (await isAccepted(active.text, context))
  } catch (error) {
    return error instanceof AgentError && error.mayPassLater
  }
}

/**
 * Applies the assignment over what others wrote: with the grant that it has where a person assigned it, with another one where a pool did,
 * since the same may have happened to each of its nodes. Another outcome than Applied is left to people.
 * @returns whether it does
 */
async function merge(
  { merged, isDone, isPooled, needs }: Readonly<{ merged: string[]; isDone: boolean; isPooled: boolean; needs: Disruption }>,
  { state, ports }: AgentContext,
): Promise<boolean> {
  const last = await state.outcome()
  if (last === undefined) return false
  const story = { last, now: stamp(ports) }
  if (isAskingToMerge(last) && isDone) await state.setOutcome(recovered(story, undefined))
  if (merged.length === 0 || last.phase !== 'Applied') return false
  await (isPooled ? state.setOutcome(askingToMerge(story, merged, needs)) : state.reopen(story.now))
  return true
}

/** @returns whether it came about */
async function repair(steps: readonly Step[], reload: boolean, context: AgentContext): Promise<boolean> {
  const { ports, journal, kinds, state, options } = context
  const head: TransactionHead = {
    at: 'begin',
    id: randomUUID(),
    purpose: 'repair',
    activation: { reload, restarts: [] },
    proof: { ready: false, within: options.timing.healthy },
    before: { healthy: false },
  }
  const ending = await runTransaction(head, steps, {
    ports,
    journal,
    kinds,
    paths: state.paths,
    timing: options.timing,
    agent: options.version,
  })
  if ('failure' in ending) ports.log.warn('drift not repaired', { ...ending.failure })
  await settle(head, ending, context)
  return ending.kind === 'kept'
}

function subjectsOf({ change }: Step): readonly string[] {
  return change.subjects
}
