import { COMMENT } from '../protocol/file-edits.ts'
import type { HostEdits } from '../protocol/host-document.ts'
import type { FleetModel } from '../repo/model.ts'
import type { FileEditsSpec } from '../repo/schema/host-profile.ts'
import { type FieldClaim, findConflicts } from './find-conflicts.ts'
import { type LayerSubject, named } from './layers.ts'
import type { RenderProblem } from './render-problem.ts'

/** One entry for each file, whatever number of profiles add to it. */
export function renderEdits(specs: readonly FileEditsSpec[]): HostEdits[] {
  return [...Map.groupBy(specs, ({ path }) => path)].map(([path, edits]) => {
    const blocks = new Map(edits.flatMap((edit) => edit.blocks ?? []).map((block) => [block.name, block]))
    const lines = new Set(edits.flatMap((edit) => edit.lines ?? []))
    const comment = edits.find((edit) => edit.comment !== undefined)?.comment
    return {
      path,
      ...(blocks.size > 0 && { blocks: [...blocks.values()] }),
      ...(lines.size > 0 && { lines: [...lines] }),
      ...(comment !== undefined && { comment }),
    }
  })
}

/** Blocks of one name, and the sign of comments, are the same wherever they are stated for one file. */
export function editConflicts({ hostProfiles }: FleetModel, { pool }: LayerSubject): RenderProblem[] {
  return findConflicts(
    named(hostProfiles, pool.spec.hostProfiles).flatMap((doc) =>
      (doc.spec.edits ?? []).flatMap(({ path: file, blocks = [], comment = COMMENT }, index): FieldClaim[] => [
        { doc, path: ['edits', index], what: `the comment sign of "${file}"`, value: comment },
        ...blocks.map(({ name, content }, block) => ({
          ...{ doc, path: ['edits', index, 'blocks', block], what: `block "${name}" of "${file}"`, value: content },
        })),
      ]),
    ),
  )
}
