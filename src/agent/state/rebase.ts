import { AgentError } from '../agent-error.ts'
import { type AgentContext, stamp } from '../context.ts'
import { activeBlueprint, compare } from '../transaction/prospect.ts'
import { type Baseline, captureOne, isSame, type Place, readBaselines, writeBaselines } from './baselines.ts'
import type { Managed } from './managed.ts'

/**
 * Captures again what the agent cannot by itself: baselines that are missing or damaged are taken from the host as it is now. What others
 * wrote since nodewave took over is taken too, as the agent does whenever it compares the host with its configuration.
 * @returns the paths that were captured again
 * @throws {AgentError} when nothing is managed here, or while something is being applied
 */
export async function rebase(context: AgentContext): Promise<string[]> {
  const { state, journal, ports, kinds } = context
  const digest = await state.digest('active')
  const active = digest === undefined ? undefined : await state.restore(digest)
  const blueprint = await activeBlueprint(context)
  if (active === undefined || typeof blueprint === 'string') throw refuse('nothing is managed on this host', 'NothingManaged')
  if (await journal.open()) throw refuse('a change is being applied; try again when it has ended', 'TransactionOpen')
  const unsound = await captureUnsound(blueprint.managed, { paths: state.paths, host: ports, kinds })
  const { recaptured } = await compare(active.content, context)
  // What the host should be is another thing now.
  await state.reopen(stamp(ports))
  return [...unsound, ...recaptured]
}

async function captureUnsound(managed: Managed, place: Place): Promise<string[]> {
  const before = await readBaselines(place)
  const list: Baseline[] = before.list.filter(({ key }) => !managed.claims.some((claim) => claim.key === key))
  const captured: string[] = []
  for (const claim of managed.claims) {
    const known = before.list.find((baseline) => isSame(claim, baseline, place.kinds))
    if (known && (await isSound(known, place))) list.push(known)
    else {
      list.push(await captureOne(claim, { ...place, managed, ours: [] }))
      captured.push(claim.key)
    }
  }
  if (captured.length > 0) await writeBaselines({ ...before, list }, place)
  return captured
}

async function isSound({ base: { content } }: Baseline, { host }: Place): Promise<boolean> {
  return content === undefined || (await host.files.sha256(content.at)) === content.sha256
}

function refuse(message: string, reason: string): AgentError {
  return new AgentError(`take the local configuration again: ${message}`, { kind: 'internal', reason })
}
