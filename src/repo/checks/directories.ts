import { directoryRefusal } from '../../protocol/directory-rules.ts'
import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'

/** Modes and owners by which hosts would be lost: the agent could not work below such a directory any more. */
export function checkDirectories({ documents }: Draft): Problem[] {
  return [...documents.HostProfile.values()].flatMap((profile) =>
    (profile.spec.directories ?? []).flatMap((directory, index) => {
      const refusal = directoryRefusal(directory)
      if (refusal === undefined) return []
      const message = `directory "${directory.path}": ${refusal.because}`
      return [errorAt(profile, ['directories', index], { reason: 'InvalidValue', message, remedy: refusal.remedy })]
    }),
  )
}
