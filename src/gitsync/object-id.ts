import { corruptPack } from './explain-failure.ts'

/** In full, as Git writes it. What is none never becomes a path: a server, or a commit, can name anything. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/** @throws {GitSyncError} `CorruptPack` */
export function checkedId(text: string): string {
  if (isObjectId(text)) return text
  throw corruptPack(`${JSON.stringify(text.slice(0, 80))} is not the id of an object`)
}
