import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** More is a program or a library: of those the bill of materials names the version, and the size is compared. */
const SMALL = 4 * 1024 * 1024

/** Makes `target` a copy of `source`, which has files and directories only. On disk before it has its name: the power may go at any time. */
export function copyFolder(source: string, target: string): void {
  if (isCopy(source, target)) return
  const partial = join(dirname(target), `.${basename(target)}.partial`)
  rmSync(partial, { recursive: true, force: true })
  for (const path of filesIn(source)) {
    mkdirSync(join(partial, dirname(path)), { recursive: true, mode: 0o755 })
    copyFileSync(join(source, path), join(partial, path))
    sync(join(partial, path))
  }
  rmSync(target, { recursive: true, force: true })
  renameSync(partial, target)
  sync(dirname(target))
}

/** Files that only the target has, such as the mark of a version that did not report, make no difference. */
function isCopy(source: string, target: string): boolean {
  return filesIn(source).every((path) => {
    const [from, to] = [join(source, path), join(target, path)]
    const size = statSync(from).size
    if (!existsSync(to) || statSync(to).size !== size) return false
    return size > SMALL || readFileSync(from).equals(readFileSync(to))
  })
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

function sync(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
