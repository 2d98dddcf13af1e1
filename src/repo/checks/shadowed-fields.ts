import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { knowledgeOf } from '../kubelet-knowledge/knowledge.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import { fieldsOf, flagsOf, type SettingPlace } from './pool-settings.ts'

/** Gates of both are put together, gate by gate. */
const MERGED = ['feature-gates']

/** A flag wins over the field of the same meaning, and the kubelet does not say so. */
export function checkShadowedFields({ documents }: Draft): Problem[] {
  const problems = [...documents.NodePool.values()].flatMap((pool) => shadowedIn(pool, documents))
  return [...new Map(problems.map((problem) => [`${formatLocation(problem.at)} ${problem.message}`, problem])).values()]
}

function shadowedIn(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): Problem[] {
  const known = knowledgeOf(pool.spec.kubelet?.version).flags
  const fields = fieldsOf(pool, documents)
  return [...flagsOf(pool, documents)].flatMap(([flag, { place }]) => {
    const field = MERGED.includes(flag) ? undefined : fields.get(known.get(flag)?.field ?? '')
    return field ? [problemOf({ flag, place, field })] : []
  })
}

function problemOf({
  flag,
  place,
  field,
}: {
  readonly flag: string
  readonly place: SettingPlace
  readonly field: SettingPlace
}): Problem {
  const at = formatLocation(field.document.source.where(field.path))
  const name = field.path.slice(1).join('.')
  const problem = errorAt(place.document, place.path, {
    reason: 'Conflict',
    message: `the kubelet uses --${flag} from here instead of the field ${name} at ${at}`,
    remedy: `set only one of them; the kubelet's documentation recommends fields`,
  })
  return { ...problem, severity: 'warning' }
}
