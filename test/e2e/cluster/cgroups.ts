/** A cgroup in every hierarchy for each node, below the one we are in: nothing of the machine's own is touched. */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { note } from './record.ts'
import type { Slot } from './slot.ts'

interface Hierarchy {
  readonly mountPoint: string
  /** Our own place in it. */
  readonly own: string
}

/** Make `nodewave-e2e-<slot>-<name>` in all hierarchies; gives their directories. */
export async function createCgroups(slot: Slot, name: string): Promise<string[]> {
  const paths: string[] = []
  for (const { mountPoint, own } of below(hierarchies())) {
    const path = join(mountPoint, own, `nodewave-e2e-${slot.number}-${name}`)
    note(slot, { kind: 'cgroup', path })
    await mkdir(path)
    // A new cpuset has no processors and no memory, and takes no process before it has.
    for (const file of ['cpuset.mems', 'cpuset.cpus']) {
      if (!existsSync(join(mountPoint, own, file)) || !existsSync(join(path, 'cpuset.cpu_exclusive'))) continue
      await writeFile(join(path, file), await readFile(join(mountPoint, own, file)))
    }
    paths.push(path)
  }
  return paths
}

/** Processes in a cgroup and everything below it. */
export function cgroupProcesses(path: string): number[] {
  const lines = cgroupTree(path).map((dir) => whileThere(() => readFileSync(join(dir, 'cgroup.procs'), 'utf8')) ?? '')
  return lines.join('').split('\n').filter(Boolean).map(Number)
}

/** Remove a cgroup and those below it, the deepest first; false when one is still in use. */
export function removeCgroup(path: string, { keepTop = false } = {}): boolean {
  const tree = cgroupTree(path).reverse()
  for (const dir of keepTop ? tree.slice(0, -1) : tree) {
    try {
      rmdirSync(dir)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
  }
  return true
}

/** Containers that a killed node left frozen would never take their SIGKILL. */
export function thaw(path: string): void {
  for (const dir of cgroupTree(path)) {
    const state = join(dir, 'freezer.state')
    if (existsSync(state)) whileThere(() => writeFileSync(state, 'THAWED'))
  }
}

/** The directory itself first, then those below. */
export function cgroupTree(path: string): string[] {
  const entries = whileThere(() => readdirSync(path, { withFileTypes: true }))
  if (entries === undefined) return []
  return [path, ...entries.filter((entry) => entry.isDirectory()).flatMap((entry) => cgroupTree(join(path, entry.name)))]
}

/** Containers come and go at any moment, and their cgroups with them. */
function whileThere<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (!['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  }
}

/** Where the hierarchies are mounted. */
export function cgroupRoots(): string[] {
  return hierarchies().map(({ mountPoint }) => mountPoint)
}

function hierarchies(): Hierarchy[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n').map(parseMembership)
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n').map(parseMount)
  return mounts.flatMap((mount) => {
    if (mount === undefined) return []
    const membership = own.find(({ controllers }) =>
      mount.type === 'cgroup2'
        ? controllers === ''
        : controllers !== '' && controllers.split(',').every((c) => mount.options.includes(c)),
    )
    return membership === undefined ? [] : [{ mountPoint: mount.mountPoint, own: membership.path }]
  })
}

/**
 * With one unified hierarchy a cgroup that holds processes cannot pass its controllers on, and ours holds us: nodes then go
 * below the root.
 */
function below(all: readonly Hierarchy[]): readonly Hierarchy[] {
  return all.length > 1 ? all : all.map(({ mountPoint }) => ({ mountPoint, own: '/' }))
}

function parseMembership(line: string) {
  const [, controllers = '', ...path] = line.split(':')
  return { controllers, path: path.join(':') }
}

function parseMount(line: string) {
  const [place = '', kind = ''] = line.split(' - ')
  const mountPoint = place.split(' ')[4] ?? ''
  const [type = '', , options = ''] = kind.split(' ')
  return type === 'cgroup' || type === 'cgroup2' ? { mountPoint, type, options: options.split(',') } : undefined
}
