import { readByService, readerOf, unitOfFile } from '../../protocol/file-readers.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'

/**
 * Plain files that a running program reads when it is started next: written quietly, they count at the next reboot, on every node, with
 * nothing proved. They have fields of their own, which restart and prove, or need a unit that restarts on them.
 */
export function checkFileReaders({ documents }: Draft): Problem[] {
  const { HostProfile, NodeOverride } = documents
  const profiles = [...HostProfile.values()]
  const restartOn = profiles.flatMap(({ spec }) => (spec.units ?? []).flatMap((unit) => unit.restartOn ?? []))
  const owners: Loaded<Owner>[] = [...profiles, ...NodeOverride.values()]
  return owners.flatMap((owner) =>
    (['files', 'edits', 'links'] as const).flatMap((list) =>
      (owner.spec[list] ?? []).flatMap(({ path }, index) => {
        const found = refusalOf(path, restartOn)
        return found === undefined ? [] : [errorAt(owner, [list, index, 'path'], { reason: 'InvalidValue', ...found })]
      }),
    ),
  )
}

interface Owner {
  readonly files?: readonly { readonly path: string }[] | undefined
  readonly edits?: readonly { readonly path: string }[] | undefined
  readonly links?: readonly { readonly path: string }[] | undefined
}

interface Refusal {
  readonly message: string
  readonly remedy: string
}

function refusalOf(path: string, restartOn: readonly string[]): Refusal | undefined {
  const reader = readerOf(path)
  if (reader?.kind === 'refused') return { message: `file "${path}": ${reader.because}`, remedy: reader.remedy }
  const unit = unitOfFile(path)
  if (unit !== undefined && unit !== AGENT_UNIT)
    return { message: `file "${path}": it belongs to ${unit}`, remedy: `write it as content or dropIns of the unit, under units` }
  const reading = readByService(path, restartOn)
  return reading && { message: `file "${path}": ${reading.because}`, remedy: reading.remedy }
}
