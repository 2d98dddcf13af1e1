import type { Command } from 'commander'
import { FLEET_CONFIG_MAP, POOL_CONTROLS } from '../../protocol/names.ts'
import type { PoolReason, RevisionRef } from '../../protocol/node-pool.ts'
import { isRenderFailure } from '../../rollout/model/node-progress.ts'
import { denotes } from '../../rollout/model/remembered-revision.ts'
import type { CliIo } from '../cli-io.ts'
import type { PoolStatusView } from '../status/pool-view.ts'
import { refuseAskedBefore } from './asked-before.ts'
import { type AwaitedRecord, type Effect, runEnded } from './await-records.ts'
import { continued, superseded } from './fleet-effects.ts'
import { oneOf } from './pause.ts'
import { describeRef, refNamed } from './revision.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, poolNamed } from './view.ts'
import { whilePaused } from './while-paused.ts'

interface Flags extends VerbFlags {
  readonly all?: true
  readonly revision?: string
}

const NO_FAILURE = 'neither its newest commit nor a node at it failed; check with: nodewave status'
const NO_STOP = 'failures stopped no commit; check with: nodewave status'

export function retryCommand(io: CliIo): Command {
  return verbCommand('retry')
    .description(
      'retry a commit that failed in a pool, or the nodes that failed at its commit; or continue a commit that failures stopped in the whole fleet',
    )
    .argument('[pool]')
    .option('--all', 'continue the commit that failures stopped in the whole fleet')
    .option('--revision <rev>', 'commit to retry, at least seven characters. Default: the last that failed')
    .addHelpText('after', '\nExample:\n  $ nodewave retry workers --wait')
    .action((pool: string | undefined, flags: Flags) => {
      oneOf({ pool, all: flags.all })
      return runVerb(io, flags, (view) => intend(view, pool, flags))
    })
}

/** @param pool undefined: the fleet */
async function intend(view: ControlView, pool: string | undefined, { revision, wait }: Flags): Promise<Intent> {
  const { pools, namespace } = view
  const isFleet = pool === undefined
  const found = isFleet ? undefined : poolNamed(pools, pool)
  const failed = found ? failedIn(found, revision) : stoppedIn(pools)
  const name = isFleet ? 'the fleet' : `pool "${pool}"`
  const [last] = failed
  if (!last) throw new Error(`nothing in ${name} can be retried: ${found ? whyNothing(found) : NO_STOP}`)
  const ref = revision === undefined ? last : refNamed(revision, failed, `cannot retry in ${name}: unknown commit`)
  if (found) refuseDuringRollback(found, ref)
  if (found) refuseAskedBefore(found, { control: 'retry', value: ref.revision })
  const on = isFleet
    ? ({ kind: 'ConfigMap', name: FLEET_CONFIG_MAP, namespace } as const)
    : ({ kind: 'NodePool', name: pool } as const)
  return {
    says: `${name} is asked to retry ${describeRef(ref)}${isFleet ? '' : await whilePaused(view, pool)}${wait ? '' : seeAnswer(pool)}`,
    writes: [{ on, annotation: POOL_CONTROLS.retry, value: ref.revision }],
    awaits: found
      ? [awaited(found, ref)]
      : pools.filter(isStopped).map((each) => ({ pool: each.name, effect: continued(ref.revision) })),
  }
}

/** The controller may still refuse it. */
function seeAnswer(pool: string | undefined): string {
  return `; see the result with: nodewave status${pool === undefined ? '' : ` ${pool}`}`
}

/** A commit that is neither the newest nor what failed last no longer counts as failed, and no run begins for it. */
function awaited({ name, status }: PoolStatusView, ref: RevisionRef): AwaitedRecord {
  const { observedRevision, rejected: [last = ref] = [], target } = status
  const begins = ref.revision === observedRevision || [last, target].some((known) => known?.fingerprint === ref.fingerprint)
  return { pool: name, action: 'Retry', ...(begins && { effect: retryEnded(ref, status) }) }
}

type Status = PoolStatusView['status']

/** The run has come to its end, or none begins, for a newer commit came before. */
export function retryEnded(ref: RevisionRef, { history, observedRevision }: Status): (status: Status) => Effect | undefined {
  const endOf = runEnded(ref, history)
  return (status) => {
    const [run] = status.history ?? []
    const isUnderWay = run?.result === 'Running' && (run.fingerprint === ref.fingerprint || run.revision === ref.revision)
    const isNewest = status.observedRevision === observedRevision
    return endOf(status) ?? (isUnderWay || isNewest ? undefined : superseded(status))
  }
}

/** The pool stays where it was rolled back to: nothing else is tried there. */
function refuseDuringRollback({ name, status: { rollback } }: PoolStatusView, { fingerprint }: RevisionRef): void {
  if (rollback && rollback.to.fingerprint !== fingerprint)
    throw new Error(
      `cannot retry in pool "${name}": it is rolled back to ${describeRef(rollback.to)}; first end that with: nodewave resume ${name}`,
    )
}

/**
 * What failed once, and is not what the repository says any more, has nothing to be tried again for. The newest commit may have failed
 * under another name: by what it renders.
 */
function failedIn({ status }: PoolStatusView, named: string | undefined): readonly RevisionRef[] {
  const { conditions, rejected = [], observedRevision } = status
  const stalled = conditions?.find(({ type, status: holds }) => type === 'Stalled' && holds === 'True')
  const reason = stalled?.reason as PoolReason | undefined
  if (reason !== undefined && ON_TOP.includes(reason) && hasFailedLast(status)) return [...rejected, ...triedIn(status)]
  if (reason !== 'Halted' && reason !== 'RolledBack') return triedIn(status)
  const isNewest = named !== undefined && observedRevision !== undefined && denotes(named, { revision: observedRevision })
  if (rejected.length === 0 || !isNewest) return [...rejected, ...triedIn(status)]
  return [rejected.find(({ revision }) => revision === observedRevision) ?? { revision: observedRevision, fingerprint: '' }]
}

/** What is wrong with a commit that is not accepted stands in place of what became of the accepted one. */
const ON_TOP: readonly PoolReason[] = ['InvalidRepository', 'UntrustedCommit', 'CommitNeedsPromotion']

/** The pool is still where the failure of a commit left it. */
function hasFailedLast({ history: [run, before] = [], target, rejected: [last] = [] }: PoolStatusView['status']): boolean {
  if (!run || !last) return false
  if (run.result === 'Halted') return run.fingerprint === last.fingerprint
  return before?.result === 'RolledBack' && before.fingerprint === last.fingerprint && target?.revision === run.revision
}

/** Nodes failed at it: they try once more, and machines that were replaced since it completed count no more. */
function triedIn(status: PoolStatusView['status']): readonly RevisionRef[] {
  const { history: [run] = [], target, failed = [] } = status
  const atReboot = failedAtReboot(status)
  const ofContent = failed.filter((failure) => !isRenderFailure(failure) && !atReboot.includes(failure.node))
  if (run?.result !== 'Running' && run?.result !== 'Completed') return []
  return run.laterFailures !== undefined || ofContent.length > 0 ? [target ?? run] : []
}

/** A retry is of content. */
function failedAtReboot({ reboots = [] }: Pick<PoolStatusView['status'], 'reboots'>): readonly string[] {
  return reboots.filter(({ state }) => state === 'Failed').map(({ node }) => node)
}

function whyNothing({ status }: PoolStatusView): string {
  const nodes = failedAtReboot(status)
  return nodes.length === 0 ? NO_FAILURE : `only reboots failed; reboot again: nodewave reboot ${nodes.join(' ')}`
}

/** The newest commit of the pools that failures elsewhere keep from it. */
function stoppedIn(pools: ControlView['pools']): readonly RevisionRef[] {
  return pools.filter(isStopped).flatMap(({ status: { observedRevision } }) => {
    return observedRevision === undefined ? [] : [{ revision: observedRevision, fingerprint: '' }]
  })
}

function isStopped({ status: { conditions = [] } }: PoolStatusView): boolean {
  return conditions.some(({ reason }) => reason === 'FleetStopped')
}
