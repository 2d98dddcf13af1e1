import { canonicalJson, type Json } from '../protocol/digest.ts'
import { locate, type Origin, type RenderProblem } from './render-problem.ts'

/** One document says that something is to have a value. */
export interface FieldClaim extends Origin {
  /** What people call the thing, such as `flag --v` or `file /etc/motd`. */
  readonly what: string
  readonly value: Json
}

/**
 * Documents of one level have no order between them, so they must not disagree.
 * @returns a problem for each thing that a document gives another value than an earlier one did.
 */
export function findConflicts(claims: readonly FieldClaim[]): RenderProblem[] {
  const first = new Map<string, FieldClaim>()
  const problems: RenderProblem[] = []
  for (const claim of claims) {
    const earlier = first.get(claim.what)
    if (earlier === undefined) first.set(claim.what, claim)
    else if (canonicalJson(earlier.value) !== canonicalJson(claim.value)) problems.push(disagreement(earlier, claim))
  }
  return problems
}

function disagreement(a: FieldClaim, b: FieldClaim): RenderProblem {
  const message = `${a.what} is set differently by ${a.doc.kind} "${a.doc.name}" and ${b.doc.kind} "${b.doc.name}", and neither goes before the other; set it in one of them only`
  return { message, where: [locate(b), locate(a)] }
}
