import type { Json } from '../json.ts'
import { objectAt } from '../json.ts'
import { column } from '../represent/table-columns.ts'
import { builtIn, columnsWithAge } from './built-in.ts'
import { withMember } from './nodes.ts'
import { SPEC_AND_STATUS } from './workloads.ts'

const NEW_STATUS = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

export const disruptionBudgets = builtIn({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  shortNames: ['pdb'],
  hasStatus: true,
  rules: { ...SPEC_AND_STATUS, onCreate: (budget) => withMember(budget, 'status', NEW_STATUS) },
  columns: columnsWithAge({
    definitions: [column('Min Available'), column('Max Unavailable'), column('Allowed Disruptions', { type: 'integer' })],
    cells: (budget) => [
      shown(objectAt(budget, 'spec').minAvailable),
      shown(objectAt(budget, 'spec').maxUnavailable),
      objectAt(budget, 'status').disruptionsAllowed ?? 0,
    ],
  }),
})

function shown(share: Json | undefined): string {
  return share === undefined ? 'N/A' : String(share)
}
