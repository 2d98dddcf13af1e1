import { createHash, randomBytes } from 'node:crypto'
import { opendir, unlink } from '../../kube/file-calls.ts'
import type { Place } from './host-tree.ts'
import { nameInError } from './name-in-error.ts'

const ENDING = '.nodewave-tmp'
/** Bytes. The whole name has to stay below the 255 of file systems. */
const LONGEST_NAME = 200
/** A directory, one that is mounted, or an immutable file: another user's, and no remains of ours. */
const STEPPED_OVER = ['ENOENT', 'EISDIR', 'EPERM', 'EBUSY']

/** The same, once what a crash left of earlier work on this target is removed. */
export async function throughTemporary<T>(target: Place, work: (temporary: string) => Promise<T>): Promise<T> {
  await removeTemporaries(target)
  return withTemporary(target, work)
}

/**
 * Does work that makes something beside the target first. Its name is another one each time: in a directory such as /tmp, another user would
 * take one that can be guessed. Nothing of that name is left afterwards, unless the agent dies.
 */
export async function withTemporary<T>(target: Place, work: (temporary: string) => Promise<T>): Promise<T> {
  const name = `${startOf(target)}.${randomBytes(8).toString('hex')}${ENDING}`
  const temporary = target.beside(name)
  try {
    return await work(temporary)
  } catch (error) {
    // The same trouble again has the same message.
    throw nameInError(error, name, `${startOf(target)}.*${ENDING}`)
  } finally {
    // Half a kubelet on a full disk would keep it full. What cannot be removed now is removed with the next write.
    await unlink(temporary).catch(() => {})
  }
}

/** Removes what a crash left of work on this target, also of releases whose names had a process id or nothing in the middle. */
export async function removeTemporaries(target: Place): Promise<void> {
  // Step by step: another user may have filled the directory with names.
  for await (const { name } of await opendir(target.beside('.'), { bufferSize: 1024 })) {
    if (!isTemporaryOf(target, name)) continue
    await unlink(target.beside(name)).catch((error: NodeJS.ErrnoException) => {
      if (!STEPPED_OVER.includes(error.code ?? '')) throw error
    })
  }
}

function isTemporaryOf(target: Place, name: string): boolean {
  const start = startOf(target)
  if (!name.startsWith(start) || !name.endsWith(ENDING)) return false
  return /^(?:\.[0-9a-f]+)?$/.test(name.slice(start.length, -ENDING.length))
}

function startOf({ name }: Place): string {
  return `.${Buffer.byteLength(name) <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('hex')}`
}
