import { rollbackAsked, rollbackChoices } from '../../rollout/controls/rollback.ts'
import { NO_MEMORY } from '../../rollout/model/snapshot.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { CompiledFleet, CompiledPool } from '../fleet/compiled-fleet.ts'
import { acceptedBy } from './accepted-commits.ts'

/** Commits that a pool may be brought to besides the newest: what its status names, and what a person asks it to go back to. */
export function commitsOf(view: NodePoolView | undefined, kept: readonly string[]): string[] {
  if (!view) return []
  const { target, stable, rollback } = view.status
  return commitsIn([target, stable, rollback?.to, askedOf(view, kept)])
}

/**
 * The same, as far as they are loaded. A person may ask for what nodes have, and the status knows nothing of. Where it has the pool elsewhere, nodes
 * may have the newest content under the name of another commit.
 */
export function knownTo(
  view: NodePoolView | undefined,
  { pool, kept, revisions }: Loaded & { readonly pool: Pick<CompiledPool, 'name' | 'fingerprint'> },
): readonly CompiledFleet[] {
  if (view && isAskedAnew(view)) return [...revisions.values()]
  const named = commitsOf(view, kept)
  const known = named.flatMap((commit) => revisions.get(commit) ?? [])
  const { target } = view?.status ?? {}
  if (target === undefined || target.fingerprint === pool.fingerprint) return known
  const equal = [...revisions.values()].filter(({ pools }) => pools.get(pool.name)?.fingerprint === pool.fingerprint)
  return [...known, ...equal.filter(({ commit }) => !named.includes(commit))]
}

interface Loaded {
  readonly kept: readonly string[]
  readonly revisions: ReadonlyMap<string, CompiledFleet>
}

/** Commits never to be forgotten: besides those, what each pool would go back to if it were asked to now. */
export function commitsToKeep(pools: Iterable<NodePoolView>, kept: readonly string[]): Set<string> {
  return new Set(
    [...pools].flatMap((view) => [
      ...commitsOf(view, kept),
      ...commitsIn([wayBack(view, { asked: '', kept })]),
      ...acceptedBy(view),
    ]),
  )
}

function askedOf(view: NodePoolView, kept: readonly string[]): Ref {
  const { rollback: asked } = view.controls
  return asked !== undefined && isAskedAnew(view) ? wayBack(view, { asked, kept }) : undefined
}

/** What was observed already is in the status, or was refused. */
function isAskedAnew({ controls: { rollback }, status }: NodePoolView): boolean {
  return rollback !== undefined && rollback !== status.observedControls?.rollback
}

function wayBack({ status }: NodePoolView, { asked, kept }: { readonly asked: string; readonly kept: readonly string[] }): Ref {
  const memory = { ...NO_MEMORY, ...status }
  return rollbackAsked(asked, { memory, choices: rollbackChoices(memory, new Set(kept)) })
}

type Ref = { readonly revision: string } | undefined

function commitsIn(refs: readonly Ref[]): string[] {
  return refs.flatMap((ref) => (ref ? [ref.revision] : []))
}
