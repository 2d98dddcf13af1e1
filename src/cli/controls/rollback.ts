import type { Command } from 'commander'
import { POOL_CONTROLS } from '../../protocol/names.ts'
import type { NodePoolStatus, RevisionRef } from '../../protocol/node-pool.ts'
import { choiceNamed, leftByItself } from '../../rollout/controls/rollback.ts'
import { denotes, isProven } from '../../rollout/model/remembered-revision.ts'
import { type Memory, NO_MEMORY } from '../../rollout/model/snapshot.ts'
import type { CliIo } from '../cli-io.ts'
import { refuseAskedBefore } from './asked-before.ts'
import { assignedCommit } from './assigned-commit.ts'
import { runEnded } from './await-records.ts'
import { prefixOption } from './hold.ts'
import { describeRef, refNamed } from './revision.ts'
import { type Intent, runVerb, type VerbFlags, verbCommand } from './verb.ts'
import { type ControlView, poolNamed } from './view.ts'
import { whilePaused } from './while-paused.ts'

interface Flags extends VerbFlags {
  readonly annotationPrefix: string
  readonly to?: string
}

export function rollbackCommand(io: CliIo): Command {
  return verbCommand('rollback')
    .description(
      'roll a pool back to an earlier commit; it stays there until a commit changes the content of this pool, or until nodewave resume',
    )
    .argument('<pool>')
    .option(
      '--to <rev>',
      'commit to roll back to, at least seven characters. Default: the last that completed before the current one',
    )
    .addOption(prefixOption())
    .addHelpText('after', '\nExample:\n  $ nodewave rollback workers --to 3f2c9ab --wait')
    .action((pool: string, flags: Flags) => runVerb(io, flags, (view) => intend(view, pool, flags)))
}

async function intend(view: ControlView, pool: string, { to, annotationPrefix }: Flags): Promise<Intent> {
  const found = poolNamed(view.pools, pool)
  const { status } = found
  const { rollbackTo = [], rollback } = status
  if (to === undefined && rollback) throw new Error(`cannot roll back pool "${pool}" further: ${alreadyBack(rollback)}`)
  const memory = { ...NO_MEMORY, ...status }
  const failed = to === undefined ? leftByItself(memory) : undefined
  if (failed) throw new Error(`cannot roll back pool "${pool}" further: ${wentBack(failed, status)}${listed(rollbackTo)}`)
  const choices = { choices: rollbackTo, memory, pool }
  const ref = to === undefined ? lastCompleted(choices) : await chosen(to, { ...choices, kube: view.kube, annotationPrefix })
  refuseAskedBefore(found, { control: 'rollback', value: ref.revision })
  return {
    says: `pool "${pool}" rolls back to ${describeRef(ref)}: ${howFar(ref, choices)}; it stays there until a commit changes the content of this pool${await whilePaused(view, pool)}`,
    writes: [{ on: { kind: 'NodePool', name: pool }, annotation: POOL_CONTROLS.rollback, value: ref.revision }],
    awaits: [{ pool, action: 'Rollback', effect: runEnded(ref) }],
  }
}

/** Two operators who mean the same would send the pool back twice. */
function alreadyBack({ to, who, at }: NonNullable<NodePoolStatus['rollback']>): string {
  const by = who === undefined ? '' : ` by ${who}`
  return `it was rolled back to ${describeRef(to)}${by} at ${at}; to go elsewhere, name a commit with --to`
}

function wentBack(failed: RevisionRef, { target = failed }: Pick<NodePoolStatus, 'target'>): string {
  return `${describeRef(failed)} failed, and the pool went back to ${describeRef(target)} by itself`
}

function listed(choices: readonly RevisionRef[]): string {
  return choices.length === 0 ? '' : `; choose one with --to:\n  ${choices.map(describeRef).join('\n  ')}`
}

interface Choices {
  readonly choices: readonly RevisionRef[]
  readonly memory: Memory
  readonly pool: string
}

/** A commit may mean the choice that has its content, and the nodes may know of one that the status has lost. */
async function chosen(
  to: string,
  { choices, memory, pool, kube, annotationPrefix }: Choices & Pick<ControlView, 'kube'> & Pick<Flags, 'annotationPrefix'>,
): Promise<RevisionRef> {
  const named = () => refNamed(to, choices, `cannot roll back pool "${pool}": unknown commit`)
  if (choices.some((ref) => denotes(to, ref))) return named()
  const same = choiceNamed(to, { memory, choices })
  const lost = same || isKnown(to, memory) ? undefined : await assignedCommit(kube, { pool, commit: to, annotationPrefix })
  return same ?? lost ?? named()
}

/** The status says what became of it. */
function isKnown(to: string, { target, stable, history, rejected }: Memory): boolean {
  return [target, stable, ...history, ...rejected].some((ref) => ref !== undefined && denotes(to, ref))
}

function howFar(ref: RevisionRef, { memory, choices }: Choices): string {
  if (isProven(memory, ref)) return 'it completed that commit before, so without canary and soak'
  const isChoice = choices.some(({ revision }) => revision === ref.revision)
  return `${isChoice ? 'it never completed that commit, or went back from it' : 'it assigned that commit to a node, and knows no more of it'}, so wave by wave`
}

function lastCompleted({ choices, memory, pool }: Choices): RevisionRef {
  const found = choices.find((ref) => isProven(memory, ref))
  if (found) return found
  throw new Error(`cannot roll back pool "${pool}": no other commit that completed there is kept${listed(choices)}`)
}
