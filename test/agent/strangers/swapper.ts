/**
 * `node swapper.ts DIRECTORY…`: a hostile user. In each directory it puts links, directories and files of its own in the place of what is
 * there, temporary files of the agent as well, as fast as it can, for ever. The links lead to what the environment names as SECRETS. Prints a
 * line at the start, and one after each hundred moves that the host let it make.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'

const secrets = (process.env.SECRETS ?? '').split(':')
const names = ['a.conf', 'sub', '.a.conf.nodewave-tmp', 'b', '.b.nodewave-tmp', 'kept.conf', '.kept.conf.nodewave-tmp']

const moves: readonly ((path: string) => void)[] = [
  (path) => fs.unlinkSync(path),
  (path) => fs.rmSync(path, { recursive: true, force: true }),
  (path) => fs.renameSync(path, `${path}.gone`),
  (path) => fs.mkdirSync(path),
  (path) => fs.writeFileSync(path, 'bait'),
  (path) => fs.linkSync(pick(secrets), path),
  (path) => exchange(path, (fresh) => fs.symlinkSync(pick(secrets), fresh)),
  (path) => exchange(path, (fresh) => fs.symlinkSync(join(path, '..', pick(names)), fresh)),
  (path) => exchange(path, (fresh) => fs.writeFileSync(fresh, 'bait')),
  (path) => fs.chmodSync(path, pick([0o777, 0o755, 0o1777])),
  (path) => fs.chmodSync(join(path, '..'), pick([0o777, 0o755, 0o1777])),
]

function exchange(path: string, make: (fresh: string) => void): void {
  const fresh = `${path}.fresh`
  fs.rmSync(fresh, { force: true })
  make(fresh)
  fs.renameSync(fresh, path)
}

/** What the agent has under way there, and what it left; or a guess. */
function temporariesIn(directory: string): string[] {
  const found = fs.readdirSync(directory).filter((name) => name.endsWith('.nodewave-tmp'))
  return [...found, '.a.conf.0123456789abcdef.nodewave-tmp', `.kept.conf.${process.ppid}.nodewave-tmp`]
}

function pick<T>(from: readonly T[]): T {
  const found = from[Math.floor(Math.random() * from.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

process.stdout.write('at work\n')
for (let made = 0; ; ) {
  try {
    const directory = pick(process.argv.slice(2))
    const path = join(directory, pick([pick(names), pick(temporariesIn(directory))]))
    pick(moves)(Math.random() < 0.5 ? path : join(path, pick(names)))
    if (++made % 100 === 0) fs.writeSync(1, 'a hundred moves\n')
  } catch {
    // Not this time.
  }
}
