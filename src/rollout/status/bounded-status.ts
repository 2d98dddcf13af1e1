import { foreignText } from '../../protocol/foreign-text.ts'
import type { NodePoolStatus, RevisionRef } from '../../protocol/node-pool.ts'

/** Characters. A status is one object: what outgrows that is refused by the server, and the pool would stand still. */
const LONGEST = { author: 200, subject: 200, message: 1_000, condition: 4_000 } as const

/** The status with bounded texts. Others write some of them, and none grows without limit. */
export function boundedStatus(status: NodePoolStatus): NodePoolStatus {
  return isBounded(status) ? status : shortened(status)
}

/** Nearly all are. */
function isBounded({
  target,
  stable,
  rollback,
  gates,
  failed,
  rejected,
  rollbackTo,
  controls,
  ...rest
}: NodePoolStatus): boolean {
  const refs = [target, stable, rollback?.to, rollback?.from]
  return (
    refs.every((ref) => ref === undefined || boundedRef(ref) === ref) &&
    [gates ?? [], failed, controls].every((entries) => entries.every(({ message }) => fits(message))) &&
    [rejected, rollbackTo, rest.history].every((entries) => entries.every((ref) => boundedRef(ref) === ref)) &&
    rest.history.every(({ message }) => fits(message)) &&
    rest.conditions.every(({ message }) => fits(message, LONGEST.condition))
  )
}

function shortened(status: NodePoolStatus): NodePoolStatus {
  const { target, stable, rollback, gates } = status
  return {
    ...status,
    ...(target && { target: boundedRef(target) }),
    ...(stable && { stable: boundedRef(stable) }),
    ...(rollback && { rollback: { ...rollback, to: boundedRef(rollback.to), from: boundedRef(rollback.from) } }),
    ...(gates && { gates: eachBounded(gates, withMessage) }),
    failed: eachBounded(status.failed, withMessage),
    rejected: eachBounded(status.rejected, boundedRef),
    rollbackTo: eachBounded(status.rollbackTo, boundedRef),
    controls: eachBounded(status.controls, withMessage),
    history: eachBounded(status.history, (entry) => withMessage(boundedRef(entry))),
    conditions: eachBounded(status.conditions, (each) => withMessage(each, LONGEST.condition)),
  }
}

/** The same list when every entry is the same: what is the same is compared, and written, at no cost. */
function eachBounded<T>(entries: readonly T[], bounded: (entry: T) => T): readonly T[] {
  return entries.every((entry) => bounded(entry) === entry) ? entries : entries.map((entry) => bounded(entry))
}

function boundedRef<Ref extends RevisionRef>(ref: Ref): Ref {
  const author = ref.author && foreignText(ref.author, LONGEST.author)
  const subject = ref.subject && foreignText(ref.subject, LONGEST.subject)
  if (author === ref.author && subject === ref.subject) return ref
  return { ...ref, ...(author !== undefined && { author }), ...(subject !== undefined && { subject }) }
}

/** The same entry when its message is short enough: most are. */
function withMessage<T extends { readonly message?: string }>(entry: T, longest: number = LONGEST.message): T {
  return entry.message === undefined || fits(entry.message, longest) ? entry : { ...entry, message: cut(entry.message, longest) }
}

function fits(message: string | undefined, longest: number = LONGEST.message): boolean {
  return message === undefined || message.length <= longest
}

function cut(text: string, longest: number): string {
  return `${text.slice(0, longest - 1).toWellFormed()}…`
}
