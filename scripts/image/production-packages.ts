import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly integrity?: string
  readonly version?: string
}

export interface PackageLock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** What only types are for: no code of theirs is ever loaded. */
const TYPES_ONLY = /^node_modules\/(@types\/|undici-types$)/
/** Peers that the package leaves to its user, and an image has to bring: the transports of SSH repositories and of e-mail. */
const PEERS = ['nodemailer', 'ssh2']

export function readLock(root: string): PackageLock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

/** The folders below `node_modules` that the built package needs, sorted: what the lock file says, whatever else is installed. */
export function productionPackages({ packages }: PackageLock): string[] {
  const direct = Object.keys(packages['']?.dependencies ?? {})
  const queue = [...direct, ...PEERS].map((name) => `node_modules/${name}`)
  const found = new Set(queue)
  for (const path of found) {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) found.add(resolve(name, path, packages))
  }
  return [...found].filter((path) => !TYPES_ONLY.test(path)).sort()
}

/** As Node does it: the nearest `node_modules` above. */
function resolve(name: string, from: string, packages: PackageLock['packages']): string {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (!folder.includes('/node_modules/')) return `node_modules/${name}`
  }
}
