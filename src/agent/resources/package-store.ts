import * as z from 'zod/mini'
import { archiveStart, type PackageManager, type PackageStep } from '../package-manager.ts'
import type { HostFiles } from '../ports.ts'
import { departures, versionsOf } from './package-steps.ts'

const versions = z.record(z.string(), z.array(z.string()))
type Versions = z.infer<typeof versions>

interface Place {
  readonly packages: Pick<PackageManager, 'store'>
  readonly files: HostFiles
}

/** Of each package that was changed: what it was, and what it became. */
export async function rememberVersions(
  steps: readonly PackageStep[],
  { packages, files }: Place & { readonly packages: Pick<PackageManager, 'store' | 'installed'> },
): Promise<void> {
  if (steps.length === 0) return
  const before = await readVersions({ packages, files })
  const changed: [string, string[]][] = []
  for (const step of steps) {
    const versions = [...departures(step), step.from, step.to].flatMap((version) => version ?? [])
    // Versions that stand beside others may go all at once, with a later commit.
    const there = step.leaving === undefined ? [] : versionsOf(await packages.installed(step.name))
    const still = (before[step.name] ?? []).filter((version) => there.includes(version))
    changed.push([step.name, [...new Set([...still, ...versions])]])
  }
  const known = { ...before, ...Object.fromEntries(changed) }
  await files.writeAtomic(recordOf(packages), Buffer.from(JSON.stringify(known)), { mode: 0o600 })
}

/**
 * Keeps the archives of these two versions: the way back is on the disk, whatever becomes of the repository. Indexes, and what was staged for
 * changes that are over, go. Not while something is staged.
 */
export async function sweepPackages({ packages, files }: Place): Promise<void> {
  const kept = await readVersions({ packages, files })
  for (const name of await files.list(packages.store)) {
    const path = `${packages.store}/${name}`
    if (path === recordOf(packages) || isKept(name, kept)) continue
    const isDirectory = (await files.stat(path))?.type === 'directory'
    await (isDirectory ? files.removeTree(path) : files.remove(path))
  }
}

/** Pure. */
function isKept(archive: string, kept: Versions): boolean {
  // Names of rpm packages have underscores in them.
  return Object.entries(kept).some(([name, versions]) =>
    versions.some((version) => archive.startsWith(archiveStart({ name, version }))),
  )
}

async function readVersions({ packages, files }: Place): Promise<Versions> {
  const bytes = await files.read(recordOf(packages))
  return bytes === undefined ? {} : versions.parse(JSON.parse(Buffer.from(bytes).toString()))
}

function recordOf({ store }: Pick<PackageManager, 'store'>): string {
  return `${store}/versions.json`
}
