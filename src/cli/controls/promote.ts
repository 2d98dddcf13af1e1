import { type Command, Option } from 'commander'
import type { ForgeKind } from '../../forge/pull-request/pull-request-url.ts'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import type { PoolReason } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { denotes } from '../../rollout/model/remembered-revision.ts'
import type { CliIo } from '../cli-io.ts'
import { TOKEN_VARIABLE } from '../plan/forge-clients.ts'
import type { PoolStatusView } from '../status/pool-view.ts'
import { refuseAskedBefore } from './asked-before.ts'
import { accepted } from './fleet-effects.ts'
import { oneOf } from './pause.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, poolNamed } from './view.ts'
import { whilePaused } from './while-paused.ts'

interface Flags extends VerbFlags {
  readonly all?: true
  readonly revision?: string
  readonly pr?: string
  readonly forge?: ForgeKind
  readonly from?: string
  readonly to?: string
  readonly repo: string
  readonly base: string
  readonly insecureHttp?: boolean
}

/** A commit is taken as a whole or not at all: what is held is promoted for every pool, and a wave for its own. */
const AWAITING: Readonly<Record<'fleet' | 'pool', PoolReason>> = { fleet: 'CommitNeedsPromotion', pool: 'WaitingForPromotion' }

export function promoteCommand(io: CliIo): Command {
  return verbCommand('promote')
    .description('promote what waits for an operator: the next wave of a pool, or a commit that exceeds the blast radius')
    .argument('[pool]')
    .option('--all', 'promote a commit that exceeds the blast radius of the fleet')
    .option('--revision <rev>', 'commit to promote, at least seven characters. Default: the commit that waits')
    .option(
      '--pr <url>',
      `open a pull request in this repository that carries a version; the token is read from ${TOKEN_VARIABLE}`,
    )
    .addOption(new Option('--forge <forge>', 'with --pr: the forge').choices(['github', 'gitea', 'gitlab']))
    .option('--from <pool>', 'with --pr: pool whose kubelet version is carried, as POOL or CLUSTER/POOL')
    .option('--to <pool>', 'with --pr: pool that gets it')
    .option('--repo <path>', 'with --pr: folder of the fleet, as it is on --base', '.')
    .option('--base <branch>', 'with --pr: branch that the pull request is for', 'main')
    .option('--insecure-http', 'with --pr: send the token to an http:// URL too', false)
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave promote workers\n  $ nodewave promote --pr https://git.example.com/platform/fleet --forge gitea --from staging/workers --to production/workers',
    )
    .action((pool: string | undefined, flags: Flags) => {
      if (flags.pr !== undefined) return propose(io, pool, { ...flags, pr: flags.pr })
      oneOf({ pool, all: flags.all })
      return runVerb(io, flags, (view) => intend(view, pool, flags))
    })
}

/** What the forge needs is loaded only then. */
async function propose(io: CliIo, pool: string | undefined, flags: Flags & { readonly pr: string }): Promise<void> {
  if (pool !== undefined) throw new Error(`"${pool}" beside --pr: name pools with --from and --to`)
  const { proposePromotion } = await import('../promote/propose-promotion.ts')
  await proposePromotion(io, flags)
}

/** @param pool undefined: the fleet */
async function intend(view: ControlView, pool: string | undefined, { revision }: Flags): Promise<Intent> {
  const isFleet = pool === undefined
  const pools = isFleet ? view.pools : [poolNamed(view.pools, pool)]
  const waiting = pools.flatMap((candidate) => waitsIn(candidate, AWAITING[isFleet ? 'fleet' : 'pool']) ?? [])
  const name = isFleet ? 'the fleet' : `pool "${pool}"`
  const [first] = waiting
  if (!first) {
    const isHeld = !isFleet && pools.some((candidate) => waitsIn(candidate, AWAITING.fleet))
    const paused = isFleet || isHeld ? '' : await whilePaused(view, pool)
    if (paused !== '') throw new Error(`cannot tell what waits for promotion in ${name}${paused}`)
    const hint = isHeld ? 'its commit needs promotion for the whole fleet: nodewave promote --all' : 'check with: nodewave status'
    throw new Error(`nothing in ${name} waits for promotion; ${hint}`)
  }
  if (revision !== undefined && !denotes(revision, { revision: first.revision }))
    throw new Error(`${name} waits for the promotion of ${shortRevision(first.revision, 12)}, not of "${revision.slice(0, 40)}"`)
  if (!isFleet) for (const each of pools) refuseAskedBefore(each, { control: 'promoted', value: first.revision })
  const on = isFleet
    ? ({ kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace: view.namespace } as const)
    : ({ kind: 'NodePool', name: pool } as const)
  return {
    says: `${name} is promoted: ${shortRevision(first.revision, 7)} continues${first.after}${isFleet ? '' : `${whileStopped(view, pool)}${await whilePaused(view, pool)}`}`,
    writes: [{ on, annotation: POOL_CONTROLS.promote, value: first.revision }],
    awaits: isFleet
      ? waiting.map((each) => ({ pool: each.pool, effect: accepted(first.revision), mayGo: true as const }))
      : [{ pool, action: 'Promote' }],
  }
}

/** What else keeps its nodes: who promotes would wait for nothing. Of a pause more can be said. */
function whileStopped({ pools }: ControlView, pool: string): string {
  const { conditions = [] } = poolNamed(pools, pool).status
  const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')
  if (stalled === undefined || stalled.reason === 'WaitingForPromotion' || stalled.reason === 'Paused') return ''
  return `; the pool is Stalled (${stalled.reason}), and goes on when that is over: nodewave status ${pool}`
}

interface Waiting {
  readonly pool: string
  readonly revision: string
  /** ` after wave 1 of 2, "canary"` */
  readonly after: string
}

/** A commit that is held is not the target yet. */
function waitsIn({ name, status }: PoolStatusView, awaiting: PoolReason): Waiting | undefined {
  const { conditions = [], wave, target, observedRevision } = status
  const isHeld = awaiting === 'CommitNeedsPromotion'
  const revision = isHeld ? observedRevision : target?.revision
  if (revision === undefined || !conditions.some(({ reason }) => reason === awaiting)) return undefined
  return { pool: name, revision, after: wave && !isHeld ? ` after wave ${wave.index} of ${wave.count}, "${wave.name}"` : '' }
}
