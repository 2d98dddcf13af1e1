import { isDeepStrictEqual } from 'node:util'
import type { NodeContent } from '../../protocol/digest.ts'
import type { HostDocument } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import { withAnswers } from '../kubelet/answers.ts'
import { KubeletDropIns } from '../kubelet/config-drop-ins.ts'
import type { Resource } from '../resources/kind.ts'
import { type Blueprint, buildTarget, readBlueprint, type Target } from '../resources/target.ts'
import { type Baselines, captureBaselines, readBaselines } from '../state/baselines.ts'
import type { Managed } from '../state/managed.ts'
import { recaptureBaselines } from '../state/recapture.ts'
import { refuseMountsByHand } from './mounts-by-hand.ts'
import { refuseMountsOverUsed } from './mounts-over-used.ts'
import { type Observed, observeAll } from './observe-all.ts'
import { type Plan, plan } from './plan.ts'

/** What a configuration makes of this host, compared with how it is. */
export interface Prospect {
  readonly target: Target
  readonly plan: Plan
  readonly strange: Observed['strange']
  /** What does not count, or will not after a boot, since a file of others wins: `file: field`. */
  readonly overridden: readonly string[]
  /** As this look found them. */
  readonly dropIns: KubeletDropIns
  /** Baselines that were captured again, since others have changed what nodewave manages. */
  readonly recaptured: readonly string[]
  /** Of these, what should be otherwise than it was applied: Git's configuration goes over what others changed. */
  readonly rebased: readonly string[]
  /** Commands of the host's policy that belong before and after the change. */
  readonly steps: HostDocument['steps']
  /** Why the machine cannot try what counts only after a boot, and start as before when it does not come up. */
  readonly noTrialBoot?: string
}

/** Whether a look is to compare this subject. */
export type Among = (subject: string) => boolean

const ALL: Among = () => true

/**
 * Reads the host and changes nothing on it, but for keeping the baselines of what would become managed, and of what others have changed.
 * @param among of nothing else is it found out whether it has changed
 * @throws {AgentError} when the content cannot be applied here.
 */
export async function compare(content: NodeContent, context: AgentContext, among: Among = ALL): Promise<Prospect> {
  const { ports, state } = context
  const blueprint = await blueprintOf(content, context)
  const { kinds } = context
  await refuseMountsOverUsed(blueprint.document.units ?? [], { paths: state.paths, services: ports.services })
  const place = { paths: state.paths, host: ports, kinds }
  const active = await activeBlueprint(context)
  const before = await recaptureActive(active, { context, among })
  const already = await managedNow(context, async () => active)
  const baselines = await captureBaselines(blueprint.managed, { ...place, already })
  const target = await buildTarget(blueprint, { baselines, files: ports.files, kinds })
  const { findings, strange } = await observeAll(
    target.resources.filter(({ subject }) => among(subject)),
    ports,
  )
  const planned = plan(target.resources, findings, blueprint.document.rebootOn)
  await refuseMountsByHand(planned, { already, services: ports.services })
  const args = target.kubelet?.args ?? []
  const dropIns = new KubeletDropIns(ports.files)
  const fields = content.config === undefined ? [] : await dropIns.overridden(content.config, args)
  const overridden = [...fields, ...findings.flatMap((finding) => finding.overridden ?? [])]
  const kubelet = target.kubelet && (await withAnswers(target.kubelet, dropIns))
  return {
    target: { ...target, kubelet },
    plan: planned,
    strange,
    overridden,
    steps: blueprint.document.steps,
    dropIns,
    ...rebasedOn(before, target.resources),
  }
}

/**
 * Takes into the baselines what others have changed since the active configuration was applied.
 * @returns what was captured again, and should have been before that.
 */
async function recaptureActive(
  active: ActiveBlueprint,
  { context, among }: { readonly context: AgentContext; readonly among: Among },
): Promise<readonly Resource[]> {
  const { state, ports, kinds } = context
  // After a failed undo nobody knows what is whose.
  if (typeof active === 'string' || (await state.isUnclean())) return []
  const place = { paths: state.paths, host: ports, kinds }
  const baselines = await readBaselines(place)
  refuseMissing(active.managed, baselines, context)
  const target = await buildTarget(active, { baselines, files: ports.files, kinds })
  const resources = target.resources.filter(({ subject }) => among(subject))
  const { recaptured } = await recaptureBaselines(baselines, { ...place, resources })
  if (recaptured.length === 0) return []
  ports.log.warn('others have changed what nodewave manages: their version is what the host returns to', { paths: recaptured })
  return resources.filter(({ subject }) => recaptured.includes(subject))
}

function refuseMissing({ claims }: Managed, { list }: Baselines, { state }: AgentContext): void {
  if (claims.length === 0 || list.length > 0) return
  throw new AgentError(
    `read the baselines: "${state.paths.baselineIndex}" is missing; restore it, or run "nodewave agent rebase" to take the host as it is now`,
    { kind: 'internal', reason: 'BaselinesMissing' },
  )
}

function rebasedOn(before: readonly Resource[], after: readonly Resource[]): Pick<Prospect, 'recaptured' | 'rebased'> {
  const changed = before.filter(({ subject, spec }) => {
    const now = after.find((resource) => resource.subject === subject)
    return now !== undefined && !isDeepStrictEqual(now.spec, spec)
  })
  return { recaptured: before.map(({ subject }) => subject), rebased: changed.map(({ subject }) => subject) }
}

/** What is ours on the host now: its originals are kept already, and what stands there must not be taken for one. */
export async function managedNow(context: AgentContext, readActive = () => activeBlueprint(context)): Promise<Managed> {
  const { state, ports } = context
  // After a failed undo nobody knows what is whose: all that was kept stays kept.
  if (await state.isUnclean()) return everythingKept(context)
  const active = await readActive()
  if (active === 'none') return { claims: [], triggers: [] }
  if (typeof active === 'object') return active.managed
  ports.log.warn('the active configuration cannot be read; all baselines are kept')
  return everythingKept(context)
}

export type ActiveBlueprint = Blueprint | 'none' | 'unreadable'

/**
 * What the host is made by. `unreadable`: the pointer or the checkpoint is damaged, or another version of the agent applied what this one
 * does not understand.
 */
export async function activeBlueprint(context: AgentContext): Promise<ActiveBlueprint> {
  const { state } = context
  if (await state.isDamaged('active')) return 'unreadable'
  const digest = await state.digest('active')
  if (digest === undefined) return 'none'
  const active = await state.restore(digest)
  if (active === undefined) return 'unreadable'
  try {
    return await blueprintOf(active.content, context)
  } catch (error) {
    if (error instanceof AgentError && !error.mayPassLater) return 'unreadable'
    throw error
  }
}

async function everythingKept({ state, ports, kinds }: AgentContext): Promise<Managed> {
  const { list } = await readBaselines({ paths: state.paths, host: ports, kinds })
  return { claims: list, triggers: [] }
}

function blueprintOf(content: NodeContent, { ports, options, state, kinds }: AgentContext): Promise<Blueprint> {
  return readBlueprint(content, { files: ports.files, manager: ports.services.name, options, paths: state.paths, kinds })
}
