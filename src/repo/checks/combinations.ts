import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { refusedCombinations } from '../kubelet-knowledge/combinations.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import { type Setting, settingsOf } from './pool-settings.ts'

/** Values of a pool that the kubelet takes one by one and refuses together; where a file of the host may say otherwise, a warning. */
export function checkCombinations({ documents }: Draft): Problem[] {
  const problems = [...documents.NodePool.values()].flatMap((pool) => problemsOf(pool, documents))
  return [...new Map(problems.map((problem) => [`${formatLocation(problem.at)} ${problem.message}`, problem])).values()]
}

function problemsOf(pool: Loaded<NodePoolSpec>, documents: Draft['documents']): Problem[] {
  const { configMode, layout, version } = pool.spec.kubelet ?? {}
  const settings = settingsOf(pool, documents)
  const stated = new Map([...settings].map(([path, { value }]) => [path, value]))
  const hasBase = configMode !== 'full' && layout !== 'managed'
  return refusedCombinations({ stated, hasBase }, version).map(({ fields, message, remedy, certain }) => {
    const { place } = settings.get(fields[0] ?? '') as Setting
    const text = certain ? message : `${message}; the kubelet does not start unless a file of the host says so`
    const problem = errorAt(place.document, place.path, { reason: 'Conflict', message: text, remedy })
    return certain ? problem : { ...problem, severity: 'warning' }
  })
}
