import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { knowledgeOf, ROOT_TYPE } from '../kubelet-knowledge/knowledge.ts'
import type { Problem } from '../problem.ts'
import type { RolloutSpec } from '../schema/rollout.ts'
import { didYouMean } from '../suggest.ts'

/** Fields whose disruption is stated, against all that any kubelet knows: a misspelt one would be waited for in vain. */
export function checkDisruptionFields({ documents }: Draft): Problem[] {
  const known = knowledgeOf(undefined).fields.get(ROOT_TYPE)
  const stated: readonly Loaded<{ readonly rollout?: RolloutSpec }>[] = [
    ...documents.Fleet.values(),
    ...documents.NodePool.values(),
  ]
  return stated.flatMap((document) =>
    Object.keys(document.spec.rollout?.disruption?.fields ?? {})
      .filter((field) => !known?.has(field))
      .map((field) => unknownField(document, { field, known: known?.keys() ?? [] })),
  )
}

function unknownField(
  document: Loaded<unknown>,
  { field, known }: { readonly field: string; readonly known: Iterable<string> },
): Problem {
  const remedy = didYouMean(field, known)
  return errorAt(document, ['rollout', 'disruption', 'fields', field], {
    reason: 'UnknownField',
    part: 'key',
    message: `no kubelet has a field "${field}" in its configuration`,
    ...(remedy !== undefined && { remedy }),
  })
}
