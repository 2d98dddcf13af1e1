import * as z from 'zod/mini'
import type { RecordedUndo } from '../resources/kind.ts'

/** How the first release wrote an undo: a closed list, without versions. An agent that is upgraded in the middle of a change finds it. */
export const undoOfFirstRelease = z.union([
  z.object({
    kind: z.literal('restore'),
    path: z.string(),
    from: z.string(),
    mode: z.number(),
    uid: z.number(),
    gid: z.number(),
  }),
  z.object({ kind: z.literal('remove'), path: z.string(), directories: z.optional(z.readonly(z.array(z.string()))) }),
  z.object({ kind: z.literal('unit'), unit: z.string(), enabled: z.optional(z.boolean()), running: z.optional(z.boolean()) }),
])

/** The same as it is written today. */
export function toRecordedUndo(undo: RecordedUndo | z.infer<typeof undoOfFirstRelease>): RecordedUndo {
  if ('version' in undo) return undo
  const { kind, ...data } = undo
  return kind === 'unit' ? { kind: 'unit', version: 1, data } : { kind: 'file', version: 1, data: { do: kind, ...data } }
}
