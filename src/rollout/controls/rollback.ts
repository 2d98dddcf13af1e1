import type { HistoryEntry, RevisionRef } from '../../protocol/node-pool.ts'
import { commitOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import { completionOf, denotes, isProven, isRejected, recallRevision, refOf } from '../model/remembered-revision.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { retryOfCommit, shortName } from '../model/text.ts'
import type { ControlEffect, ControlRequest } from './control-effect.ts'
import { isSignedFor, recorded } from './record.ts'
import { rollbackOfNodes } from './rollback-of-nodes.ts'

type Past = Pick<Memory, 'target' | 'stable' | 'history' | 'rejected'>

/** What the pool can be rolled back to: another content than the present, kept in the cluster, not failed here. Newest first. */
export function rollbackChoices(memory: Past, kept: { has(commit: string): boolean }): readonly RevisionRef[] {
  const found = new Map<string, RevisionRef>()
  for (const past of [...memory.history, ...(memory.stable ? [memory.stable] : [])])
    if (kept.has(past.revision) && !found.has(past.fingerprint)) found.set(past.fingerprint, refOf(past))
  return [...found.values()].filter((ref) => ref.fingerprint !== memory.target?.fingerprint && !isRejected(memory, ref))
}

/** The commit that a rollback names; the last that completed before the present one when it names none. */
export function rollbackAsked(
  asked: string,
  { memory, choices }: { readonly memory: Memory; readonly choices: readonly RevisionRef[] },
): RevisionRef | undefined {
  return asked === '' ? choices.find((ref) => isProven(memory, ref)) : choiceNamed(asked, { memory, choices })
}

/** Of commits that render the same, one is a choice, and the others mean it. */
export function choiceNamed(
  asked: string,
  { memory, choices }: { readonly memory: Pick<Memory, 'history'>; readonly choices: readonly RevisionRef[] },
): RevisionRef | undefined {
  const contents = contentsNamed(asked, memory)
  return choices.find((ref) => denotes(asked, ref)) ?? choices.find(({ fingerprint }) => contents.has(fingerprint))
}

function contentsNamed(asked: string, { history }: Pick<Memory, 'history'>): ReadonlySet<string> {
  return new Set(history.filter((past) => denotes(asked, past)).map(({ fingerprint }) => fingerprint))
}

/** Remembers where a person wants the pool, if it can get there. */
export function beginRollback(pool: PoolSnapshot, { value, now }: ControlRequest): ControlEffect {
  const { memory, head, known, kept = known, controls } = pool
  const { rollback: before, ...rest } = memory
  // Two operators who mean the same would send the pool back twice.
  if (before && value === '') return { action: 'Rollback', refused: true, message: alreadyBack(before) }
  const choices = rollbackChoices(memory, kept)
  const failed = value === '' ? leftByItself(memory) : undefined
  if (failed) return { action: 'Rollback', refused: true, message: `${wentBack(failed, memory)}; ${listChoices(choices)}` }
  const to = rendered(pool, rollbackAsked(value, { memory, choices })) ?? rollbackOfNodes(pool, value)
  if (to === undefined) return { action: 'Rollback', refused: true, message: `${whyNot(value, memory)}; ${listChoices(choices)}` }
  const by = controls.by?.rollback
  const asked = isSignedFor({ action: 'Rollback' }, by, memory) ? by : { at: stamp(now) }
  return {
    action: 'Rollback',
    message: `the pool rolls back to ${shortName(to)} and stays there until a commit changes the content of this pool`,
    memory: { ...rest, rollback: { to, from: refOf(head), ...asked } },
  }
}

function rendered(pool: PoolSnapshot, ref: RevisionRef | undefined): RevisionRef | undefined {
  return recallRevision(pool, ref) && ref
}

/** What failed, where the pool has gone back from that by itself: an operator who means the same would send it back twice. */
export function leftByItself({ target, history }: Pick<Memory, 'target' | 'history'>): HistoryEntry | undefined {
  const [top, before, ...older] = history
  if (before?.result !== 'RolledBack' || top?.result === 'Halted' || top?.fingerprint !== target?.fingerprint) return undefined
  return top && completionOf(older, top) ? before : undefined
}

/** A person took the annotation back; nothing to tell when the rollback had come to its end before. */
export function endRollback({ name, head, memory }: PoolSnapshot): ControlEffect | undefined {
  const { rollback, ...rest } = memory
  const failed = isRejected(memory, head) ? `; ${staysBecause(name, head, memory)}` : ''
  return rollback && { action: 'EndRollback', message: `the pool follows the repository again${failed}`, memory: rest }
}

/** Following the repository changes nothing where its newest commit failed. */
export function staysBecause(pool: string, head: RevisionRef, memory: Pick<Memory, 'rejected'>): string {
  const retry = `nodewave ${retryOfCommit(pool, head, memory)}`
  return `its newest commit ${shortName(head)} failed here, so the pool stays where it is; push a fix, or run: ${retry}`
}

/**
 * A rollback ends when the repository says something new of this pool. A commit that renders the same as the one that people
 * fled from would bring it back; and a new version of the program may take other fingerprints of the same commit.
 */
export function endOutrun({ memory, head }: PoolSnapshot, now: Instant): Memory {
  const { rollback } = memory
  // Other contents of Secrets are no news of the commit that people fled from.
  if (!rollback || commitOf(rollback.from.revision) === commitOf(head.revision)) return memory
  if (rollback.from.fingerprint === head.fingerprint) return memory
  const { rollback: _, ...rest } = memory
  const message = `${shortName(head)} arrived; the pool follows the repository again`
  return recorded(rest, { effect: { action: 'EndRollback', message }, by: undefined, now })
}

/** Where nodes alone remembered where a rollback leads, its content is known once its revision is loaded. */
export function withContentOfRollback({ memory, known }: PoolSnapshot): Memory {
  const { rollback } = memory
  const revision = rollback?.to.fingerprint === '' ? known.get(rollback.to.revision) : undefined
  return rollback && revision ? { ...memory, rollback: { ...rollback, to: refOf(revision) } } : memory
}

function alreadyBack({ to, who, at }: NonNullable<Memory['rollback']>): string {
  return `the pool was rolled back to ${shortName(to)}${who === undefined ? '' : ` by ${who}`} at ${at}; to go elsewhere, name a commit`
}

function wentBack(failed: RevisionRef, { target = failed }: Pick<Memory, 'target'>): string {
  return `${shortName(failed)} failed, and the pool went back to ${shortName(target)} by itself; to go elsewhere, name a commit`
}

function whyNot(asked: string, memory: Memory): string {
  const { target, rejected } = memory
  if (asked === '') return 'no other commit that completed here is kept'
  const name = `"${asked.slice(0, 40)}"`
  if (target && denotes(asked, target)) return `${name} is the current target`
  if (rejected.some((ref) => denotes(asked, ref))) return `${name} failed here`
  const contents = contentsNamed(asked, memory)
  if (target && contents.has(target.fingerprint)) return `${name} has the content of the current target`
  if (rejected.some(({ fingerprint }) => contents.has(fingerprint))) return `${name} has content that failed here`
  return `${name} is no longer kept, or was never a target of this pool`
}

function listChoices(choices: readonly RevisionRef[]): string {
  const named = choices.map((ref) => (ref.subject ? `${shortName(ref)} "${ref.subject.slice(0, 60)}"` : shortName(ref)))
  return named.length === 0 ? 'there are no choices' : `choices: ${named.join(', ')}`
}
