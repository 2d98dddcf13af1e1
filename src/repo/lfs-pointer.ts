/** What a pointer begins with, by the specification of Git LFS, which also bounds its size. */
const OPENING = Buffer.from('version https://git-lfs.github.com/spec/v1\n')
const MAX_BYTES = 1024

/** Whether a file only names what Git LFS keeps elsewhere. Put onto hosts, these lines would take the place of what they stand for. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.byteLength < MAX_BYTES && OPENING.equals(bytes.subarray(0, OPENING.length))
}

export const LFS_REMEDY = 'git lfs untrack it, and commit the file itself'
