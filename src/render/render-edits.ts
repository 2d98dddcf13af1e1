import { COMMENT } from '../protocol/file-edits.ts'
import type { HostEdits } from '../protocol/host-document.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { FileEditsSpec } from '../repo/schema/host-profile.ts'
import { type FieldClaim, findConflicts } from './find-conflicts.ts'
import { type Layer, type LayerSubject, named } from './layers.ts'
import type { RenderProblem } from './render-problem.ts'

/** One entry for each file, whatever number of documents add to it. Of blocks of one name the last counts: overrides come last. */
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

/** A block, or a line, that a document adds to a file; a later block of the same name replaces an earlier one. */
export interface EditPart {
  /** `/etc/hosts.registry`; a line by its text. */
  readonly name: string
  readonly value: string
}

/** What each document adds to files of others: those of the pool's HostProfiles in their order, then those of overrides. */
export function editLayers({ hostProfiles }: FleetModel, { pool, overrides }: LayerSubject): Layer<EditPart>[] {
  const docs: readonly Editing[] = [...named(hostProfiles, pool.spec.hostProfiles), ...overrides]
  return docs.flatMap((doc) =>
    (doc.spec.edits ?? []).flatMap(({ path: file, blocks = [], lines = [] }, index) => [
      ...blocks.map(({ name, content }, block) => ({
        ...{ doc, path: ['edits', index, 'blocks', block], value: { name: `${file}.${name}`, value: content } },
      })),
      ...lines.map((line, at) => ({ doc, path: ['edits', index, 'lines', at], value: { name: `${file}.${line}`, value: line } })),
    ]),
  )
}

/** The sign of comments is the same wherever it is stated for one file; blocks of one name are, within each of the two levels. */
export function editConflicts({ hostProfiles }: FleetModel, { pool, overrides }: LayerSubject): RenderProblem[] {
  const profiles = named(hostProfiles, pool.spec.hostProfiles)
  return [[...profiles, ...overrides].flatMap(signClaims), profiles.flatMap(blockClaims), overrides.flatMap(blockClaims)].flatMap(
    findConflicts,
  )
}

type Editing = Doc<{ readonly edits?: readonly FileEditsSpec[] | undefined }>

function signClaims(doc: Editing): FieldClaim[] {
  return (doc.spec.edits ?? []).map(({ path: file, comment = COMMENT }, index) => ({
    ...{ doc, path: ['edits', index], what: `the comment sign of "${file}"`, value: comment },
  }))
}

function blockClaims(doc: Editing): FieldClaim[] {
  return (doc.spec.edits ?? []).flatMap(({ path: file, blocks = [] }, index) =>
    blocks.map(({ name, content }, block) => ({
      ...{ doc, path: ['edits', index, 'blocks', block], what: `block "${name}" of "${file}"`, value: content },
    })),
  )
}
