import type { Command } from 'commander'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import type { PoolReason } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { denotes } from '../../rollout/model/remembered-revision.ts'
import type { CliIo } from '../cli-io.ts'
import type { PoolStatusView } from '../status/pool-view.ts'
import { oneOf } from './pause.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, poolNamed } from './view.ts'

interface Flags extends VerbFlags {
  readonly all?: true
  readonly revision?: string
}

/** A commit is taken as a whole or not at all: what is held is promoted for every pool, and a wave for its own. */
const AWAITING: Readonly<Record<'fleet' | 'pool', PoolReason>> = { fleet: 'CommitNeedsPromotion', pool: 'WaitingForPromotion' }

export function promoteCommand(io: CliIo): Command {
  return verbCommand('promote')
    .description('promote what waits for an operator: the next wave of a pool, or a commit that exceeds the blast radius')
    .argument('[pool]')
    .option('--all', 'promote a commit that exceeds the blast radius of the fleet')
    .option('--revision <rev>', 'commit to promote, at least seven characters. Default: the commit that waits')
    .addHelpText('after', '\nExample:\n  $ nodewave promote workers')
    .action((pool: string | undefined, flags: Flags) => runVerb(io, flags, (view) => intend(view, pool, flags)))
}

function intend(view: ControlView, pool: string | undefined, { all, revision }: Flags): Intent {
  const whose = oneOf({ pool, all })
  const isFleet = whose === 'fleet'
  const pools = isFleet ? view.pools : [poolNamed(view.pools, pool ?? '')]
  const waiting = pools.flatMap((candidate) => waitsIn(candidate, AWAITING[whose]) ?? [])
  const name = isFleet ? 'the fleet' : `pool "${pool}"`
  const [first] = waiting
  if (!first) {
    const isHeld = !isFleet && pools.some((candidate) => waitsIn(candidate, AWAITING.fleet))
    const hint = isHeld ? 'its commit needs promotion for the whole fleet: nodewave promote --all' : 'check with: nodewave status'
    throw new Error(`nothing in ${name} waits for promotion; ${hint}`)
  }
  if (revision !== undefined && !denotes(revision, { revision: first.revision }))
    throw new Error(`${name} waits for the promotion of ${shortRevision(first.revision, 12)}, not of "${revision.slice(0, 40)}"`)
  const on = isFleet
    ? ({ kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace: view.namespace } as const)
    : ({ kind: 'NodePool', name: pool ?? '' } as const)
  return {
    says: `${name} is promoted: ${shortRevision(first.revision, 7)} continues${first.after}`,
    writes: [{ on, annotation: POOL_CONTROLS.promote, value: first.revision }],
    awaits: isFleet ? [] : [{ pool: pool ?? '', action: 'Promote' }],
  }
}

interface Waiting {
  readonly revision: string
  /** ` after wave 1 of 2, "canary"` */
  readonly after: string
}

/** A commit that is held is not the target yet. */
function waitsIn({ status }: PoolStatusView, awaiting: PoolReason): Waiting | undefined {
  const { conditions = [], wave, target, observedRevision } = status
  const isHeld = awaiting === 'CommitNeedsPromotion'
  const revision = isHeld ? observedRevision : target?.revision
  if (revision === undefined || !conditions.some(({ reason }) => reason === awaiting)) return undefined
  return { revision, after: wave && !isHeld ? ` after wave ${wave.index} of ${wave.count}, "${wave.name}"` : '' }
}
