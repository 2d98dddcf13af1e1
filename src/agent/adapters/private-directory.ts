import { chmod, mkdir } from 'node:fs/promises'

/**
 * Makes a directory that nobody but its owner may enter, also where it was made wider by an earlier version: what lies in it was protected
 * by other directories before it was kept here.
 */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
}
