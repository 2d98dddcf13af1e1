import * as z from 'zod/mini'
import { SECTION_FILES } from '../../protocol/written-paths.ts'
import { defineKind } from './define-kind.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { Kind } from './kind.ts'
import { readRegular } from './regular-file.ts'

export const FSTAB = SECTION_FILES.fstab
const MARK = '# nodewave: '

interface FstabSwapSpec {
  /** Whether lines of swap are comments of ours. */
  readonly isOff: boolean
}

/**
 * The lines of swap in fstab. The other lines are their owner's: what is given back are ours, and not the file. So whoever edits the file
 * meanwhile keeps what they wrote.
 */
export const fstabSwap: Kind<FstabSwapSpec> = defineKind({
  name: 'swap-fstab',
  ...fileHands,
  subject: () => FSTAB,
  observe: (_, { files }) => readRegular(files, FSTAB),
  differ: ({ isOff }: FstabSwapSpec, actual): FileChange | undefined => {
    if (actual === undefined) return undefined
    // Byte by byte: the other lines stay as they are, whatever their encoding.
    const text = Buffer.from(actual.bytes).toString('latin1')
    const wanted = isOff ? withoutSwap(text) : withSwap(text)
    return wanted === text ? undefined : { do: 'write', path: FSTAB, bytes: Buffer.from(wanted, 'latin1') }
  },
  // systemd makes units of it.
  effects: () => ({ reload: true }),
  baseline: {
    collection: 'files',
    schema: z.object({ path: z.string() }),
    key: ({ path }) => path,
    capture: async () => ({ path: FSTAB }),
    giveBack: async () => fstabSwap.of({ isOff: false }),
  },
})

/** Pure: the same, with each line of swap as a comment of ours. */
export function withoutSwap(text: string): string {
  return text.replace(/^[ \t]*[^ \t\n#][^ \t\n]*[ \t]+[^ \t\n]+[ \t]+swap(?=\s|$).*$/gm, (line) => `${MARK}${line}`)
}

/** Pure: the same, without comments of ours. */
export function withSwap(text: string): string {
  return text.replace(new RegExp(`^${MARK}`, 'gm'), '')
}
