import { sysctlRefusal } from '../../protocol/sysctl-rules.ts'
import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'

/** Settings by which nodes would be lost, or that nobody could take back. */
export function checkSysctls({ documents }: Draft): Problem[] {
  return [...documents.HostProfile.values()].flatMap((profile) =>
    Object.entries(profile.spec.sysctls ?? {}).flatMap(([name, value]) => {
      const refusal = sysctlRefusal(name, String(value))
      if (refusal === undefined) return []
      const { because, remedy } = refusal
      return [errorAt(profile, ['sysctls', name], { reason: 'InvalidValue', message: `sysctl "${name}": ${because}`, remedy })]
    }),
  )
}
