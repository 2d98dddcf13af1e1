import type { FileEdits } from '../../protocol/file-edits.ts'
import { readerOf } from '../../protocol/file-readers.ts'
import { HOST_SECTIONS, type HostEdits } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import type { HostFiles, WriteOptions } from '../ports.ts'
import type { Managed } from '../state/managed.ts'
import { defineKind } from './define-kind.ts'
import { damagedBlock, withEdits, withoutEdits } from './edited-text.ts'
import { contentOf, type FileBaseline, fileBaselines, keepContent, wholeFileBaseline } from './file-baseline.ts'
import { type FileChange, fileHands, hasOwnership, ownership } from './file-hands.ts'
import { readersOf } from './file-triggers.ts'
import type { CaptureContext, Kind, Resource, Section } from './kind.ts'
import { directoriesToRemove } from './missing-parents.ts'
import { type ActualFile, readRegular } from './regular-file.ts'

interface EditedFileSpec {
  readonly path: string
  /** Missing: what is ours goes. */
  readonly edits?: FileEdits
  /** What the file is without us, when it was all ours until now: what is on the host is not what others wrote. */
  readonly over?: WriteOptions & { readonly bytes: Uint8Array | undefined }
  /** With the last of ours goes a file that was not there before. */
  readonly before?: { readonly bytes: Uint8Array | undefined; readonly directories: readonly string[] | undefined }
}

const section: Section = {
  key: 'edits',
  schema: HOST_SECTIONS.edits,
  managed: (edits: readonly HostEdits[]) => ({
    claims: edits.map(({ path }) => ({ kind: 'edited-file', key: path })),
    triggers: edits.flatMap(({ path }) => readersOf(path)),
  }),
  resources: async (specs: readonly HostEdits[]) => specs.map(({ path, ...edits }) => editedFile.of({ path, edits })),
}

/** Blocks and lines of ours in a file that others own and go on to change. */
export const editedFile: Kind<EditedFileSpec> = defineKind({
  name: 'edited-file',
  ...fileHands,
  section,
  subject: ({ path }: EditedFileSpec) => path,
  observe: async ({ path, edits, over }, { files }) => {
    const actual = await readRegular(files, path)
    if (edits !== undefined && over === undefined) refuseDamaged(path, textOf(actual?.bytes))
    return actual
  },
  differ: differEdits,
  // What counts as soon as it is there disturbs as much as a restart.
  disruption: ({ path }) => (readerOf(path) === undefined ? 'none' : 'restart'),
  over: async (spec, record, files) => {
    const base = wholeFileBaseline(record) ?? { path: spec.path }
    return { ...spec, over: { ...(base.saved && ownership(base.saved)), bytes: await contentOf(base, files) } }
  },
  baseline: { ...fileBaselines, takesOver: wholeFileBaseline, giveBack, recapture },
})

/** Pure. */
function differEdits({ path, edits, over, before }: EditedFileSpec, actual: ActualFile | undefined): FileChange | undefined {
  const now = textOf(actual?.bytes)
  const wanted = edits === undefined ? undoneIn(now, before?.bytes) : withEdits(over ? textOf(over.bytes) : now, inBytes(edits))
  if (wanted === '' && edits === undefined && before?.bytes === undefined)
    return actual && { do: 'remove', path, directories: before?.directories }
  const owned = over ? ownership(over) : {}
  if (wanted === now && (actual === undefined || hasOwnership(actual.stat, owned))) return undefined
  return { do: 'write', path, bytes: Buffer.from(wanted, 'latin1'), ...(actual ? owned : { mode: 0o644 }) }
}

/** A last line that had no end gets it back. */
function undoneIn(now: string, before: Uint8Array | undefined): string {
  const text = withoutEdits(now)
  return text === `${textOf(before)}\n` ? textOf(before) : text
}

/** Byte by byte: the lines of others stay as they are, whatever their encoding. */
function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1')
}

function inBytes(edits: FileEdits): FileEdits {
  const bytes = (text: string): string => Buffer.from(text).toString('latin1')
  const { blocks = [], lines = [] } = edits
  return { ...edits, blocks: blocks.map((block) => ({ ...block, content: bytes(block.content) })), lines: lines.map(bytes) }
}

function refuseDamaged(path: string, text: string): void {
  const name = damagedBlock(text)
  if (name === undefined) return
  throw new AgentError(
    `manage "${path}": block "${name}" has only one of its two marks, so nobody knows where it ends; write "BEGIN nodewave ${name}" and "END nodewave ${name}" around it again, or take out the mark that is left`,
    { kind: 'validate', reason: 'BlockDamaged' },
  )
}

async function giveBack(base: FileBaseline, files: HostFiles, managed: Managed): Promise<Resource> {
  const { path, directories } = base
  const bytes = await contentOf(base, files)
  return editedFile.of({ path, before: { bytes, directories: directoriesToRemove(directories, managed) } })
}

/** Without ours, the file is what others make of it. One that is missing says nothing: its disk may not be mounted yet. */
async function recapture(
  base: FileBaseline,
  { context }: { readonly spec: EditedFileSpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  const { files } = context.host
  const actual = await readRegular(files, base.path)
  if (actual === undefined || damagedBlock(textOf(actual.bytes)) !== undefined) return base
  const before = await contentOf(base, files)
  const theirs = undoneIn(textOf(actual.bytes), before)
  if (theirs === textOf(before)) return base
  const { stat } = actual
  return { ...base, saved: await keepContent(base.path, { bytes: Buffer.from(theirs, 'latin1'), stat, context }) }
}
