import { watch } from 'node:fs'
import { stat } from '../../kube/file-calls.ts'
import type { WatchDirectory } from '../ports.ts'

/** By inotify. @param place where a path of the host is found */
export function directoryWatch(place: (path: string) => string): WatchDirectory {
  return async (directory, onEvent) => {
    const path = place(directory)
    // Where the path leads is found out here, and by no call that stops this process: a server of files may not answer.
    if (!(await stat(path)).isDirectory())
      throw Object.assign(new Error(`ENOTDIR: not a directory, watch '${path}'`), { code: 'ENOTDIR' })
    const watcher = watch(path, { persistent: false }, (_, name) => onEvent(name ?? undefined))
    watcher.on('error', () => onEvent(undefined))
    return () => watcher.close()
  }
}
