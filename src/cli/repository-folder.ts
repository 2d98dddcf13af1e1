import { posix } from 'node:path'

/** `./fleet/` → `fleet`: a folder of a repository that is elsewhere. @throws {Error} when the path leaves it */
export function repositoryFolder(path: string, option: string): string {
  const folder = posix.normalize(path).replace(/^\.?\/*$|\/+$/g, '')
  if (posix.isAbsolute(path) || folder === '..' || folder.startsWith('../'))
    throw new Error(`invalid ${option} "${path}": it leaves the repository; name a folder in it, such as "fleet"`)
  return folder
}
