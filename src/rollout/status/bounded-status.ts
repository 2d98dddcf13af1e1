import { foreignText } from '../../protocol/foreign-text.ts'
import type { NodePoolStatus, RevisionRef } from '../../protocol/node-pool.ts'

/** Characters. A status is one object: what outgrows that is refused by the server, and the pool would stand still. */
const LONGEST = { author: 200, subject: 200, message: 1_000, condition: 4_000 } as const

/** The status with bounded texts. Others write some of them, and none grows without limit. */
export function boundedStatus(status: NodePoolStatus): NodePoolStatus {
  const { target, stable, rollback, gates } = status
  return {
    ...status,
    ...(target && { target: boundedRef(target) }),
    ...(stable && { stable: boundedRef(stable) }),
    ...(rollback && { rollback: { ...rollback, to: boundedRef(rollback.to), from: boundedRef(rollback.from) } }),
    ...(gates && { gates: gates.map((each) => withMessage(each)) }),
    failed: status.failed.map((each) => withMessage(each)),
    rejected: status.rejected.map(boundedRef),
    rollbackTo: status.rollbackTo.map(boundedRef),
    controls: status.controls.map((each) => withMessage(each)),
    history: status.history.map((entry) => withMessage(boundedRef(entry))),
    conditions: status.conditions.map((each) => withMessage(each, LONGEST.condition)),
  }
}

function boundedRef<Ref extends RevisionRef>(ref: Ref): Ref {
  const { author, subject } = ref
  if (author === undefined && subject === undefined) return ref
  return {
    ...ref,
    ...(author !== undefined && { author: foreignText(author, LONGEST.author) }),
    ...(subject !== undefined && { subject: foreignText(subject, LONGEST.subject) }),
  }
}

/** The same entry when its message is short enough: most are, and what is the same is compared at no cost. */
function withMessage<T extends { readonly message?: string }>(entry: T, longest: number = LONGEST.message): T {
  return entry.message === undefined || entry.message.length <= longest
    ? entry
    : { ...entry, message: cut(entry.message, longest) }
}

function cut(text: string, longest: number): string {
  return `${text.slice(0, longest - 1).toWellFormed()}…`
}
