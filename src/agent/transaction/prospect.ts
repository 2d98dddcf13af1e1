import type { NodeContent } from '../../protocol/digest.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import type { Finding } from '../resources/kind.ts'
import { type Blueprint, buildTarget, readBlueprint, type Target } from '../resources/target.ts'
import { captureBaselines, readBaselines } from '../state/baselines.ts'
import type { Managed } from '../state/managed.ts'
import { type Plan, plan } from './plan.ts'

/** What a configuration makes of this host, compared with how it is. */
export interface Prospect {
  readonly target: Target
  readonly plan: Plan
  /** What could not be compared, since it is not what could have been applied: a link where a file was. */
  readonly strange: readonly { readonly subject: string; readonly error: AgentError }[]
}

/**
 * Reads the host and changes nothing on it, but for keeping the originals of what would become managed.
 * @throws {AgentError} when the content cannot be applied here.
 */
export async function compare(content: NodeContent, context: AgentContext): Promise<Prospect> {
  const { ports, state } = context
  const blueprint = await blueprintOf(content, context)
  const { kinds } = context
  const place = { paths: state.paths, host: ports, kinds }
  const baselines = await captureBaselines(blueprint.managed, { ...place, already: await managedNow(context) })
  const target = await buildTarget(blueprint, { baselines, files: ports.files, kinds })
  const findings: Finding[] = []
  const strange: { subject: string; error: AgentError }[] = []
  for (const { subject, observe } of target.resources) {
    try {
      findings.push(await observe(ports))
    } catch (error) {
      if (!(error instanceof AgentError)) throw error
      strange.push({ subject, error })
    }
  }
  return { target, plan: plan(target.resources, findings), strange }
}

/** What is ours on the host now: its originals are kept already, and what stands there must not be taken for one. */
export async function managedNow(context: AgentContext): Promise<Managed> {
  const { state, ports } = context
  // After a failed undo nobody knows what is whose: all that was kept stays kept.
  if (await state.isUnclean()) return everythingKept(context)
  const active = await activeBlueprint(context)
  if (active === 'none') return { claims: [], triggers: [] }
  if (typeof active === 'object') return active.managed
  ports.log.warn('the active configuration cannot be read; all baselines are kept')
  return everythingKept(context)
}

/**
 * What the host is made by. `unreadable`: the pointer or the checkpoint is damaged, or another version of the agent applied what this one
 * does not understand.
 */
export async function activeBlueprint(context: AgentContext): Promise<Blueprint | 'none' | 'unreadable'> {
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
  return readBlueprint(content, { files: ports.files, options, paths: state.paths, kinds })
}
