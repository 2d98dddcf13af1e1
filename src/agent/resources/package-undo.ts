import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import { archivePath, type PackageArchive, type PackageManager, type PackageStep } from '../package-manager.ts'
import type { HostFiles } from '../ports.ts'
import type { HostHands, UndoOf } from './kind.ts'
import { applyUntil, holdAs, isAt, readSteps } from './package-change.ts'
import type { PackageChange } from './package-spec.ts'
import { arrivals, departures, versionsOf } from './package-steps.ts'

const before = z.object({
  name: z.string(),
  /** Null when it was not installed. */
  version: z.nullable(z.string()),
  /** Of that version; missing when the version does not change. */
  archive: z.optional(z.string()),
  /** Only of one that stands beside other versions of itself: what came, and what has to come back. */
  beside: z.optional(
    z.object({
      came: z.array(z.object({ version: z.string(), architecture: z.string() })),
      gone: z.array(z.object({ version: z.string(), archive: z.string() })),
    }),
  ),
  held: z.boolean(),
  automatic: z.boolean(),
})

const undoData = z.object({
  packages: z.array(before),
  /** Of nobody, and overwritten by a package. */
  files: z.array(z.object({ path: z.string(), from: z.string(), mode: z.number(), uid: z.number(), gid: z.number() })),
  /** What a package manager leaves beside a configuration file that somebody edited. */
  leftovers: z.array(z.string()),
})
type PackageUndo = z.infer<typeof undoData>
type Before = z.infer<typeof before>

export const packageUndo: UndoOf<PackageChange, PackageUndo> = {
  // Files that a package makes when it runs stay, and so does the configuration of one that is removed again.
  fidelity: 'best effort',
  schema: undoData,
  leavesTrace: true,
  kept: ({ packages, files }) => [...packages.flatMap(archivesOf), ...files.map(({ from }) => from)],

  prepare: async (change, { host, backup }) => {
    const steps = await readSteps(change, host)
    const packages: Before[] = []
    for (const [index, step] of steps.entries())
      packages.push(await keepVersion(step, { host, at: `${backup}.${index}${host.packages.format.suffix}` }))
    for (const { name } of change.items)
      if (!packages.some((known) => known.name === name)) packages.push(await stateOf(name, host.packages))
    return { packages, ...(await keepFiles(steps, { host, backup })) }
  },

  perform: async ({ packages: wanted, files: kept, leftovers }, { packages, files }) => {
    await packages.repair()
    await putVersionsBack(wanted, packages)
    const automatic: string[] = []
    for (const { name, automatic: was } of wanted) if (was && !(await packages.installed(name))?.automatic) automatic.push(name)
    await packages.markAutomatic(automatic)
    for (const { name, version, held } of wanted) if (version !== null) await holdAs(held, { name, packages })
    for (const { path, from, ...stat } of kept) await files.restore(from, path, stat)
    for (const path of leftovers) await files.remove(path)
    for (const each of wanted) await requireBefore(each, packages)
  },

  isUndone: async ({ packages: wanted, files: kept }, { packages, files }) => {
    for (const each of wanted) if (!(await isBefore(each, packages))) return false
    for (const { path, from } of kept) if ((await files.sha256(path)) !== (await files.sha256(from))) return false
    return true
  },
}

async function stateOf(name: string, packages: PackageManager): Promise<Before> {
  const found = await packages.installed(name)
  return { name, version: found?.version ?? null, held: found?.held ?? false, automatic: found?.automatic ?? false }
}

/** @throws {AgentError} when somebody has changed the package since the change was staged. */
async function keepVersion(
  step: PackageStep,
  { host: { packages, files }, at }: { readonly host: Pick<HostHands, 'packages' | 'files'>; readonly at: string },
): Promise<Before> {
  const { name, architecture, from } = step
  const found = await packages.installed(name)
  if (found?.version !== from)
    throw new AgentError(
      `change package "${name}": it was ${from ?? 'not installed'} a moment ago, and is ${found?.version ?? 'gone'} now`,
      {
        kind: 'sync',
        reason: 'PackagesChanged',
      },
    )
  if (step.leaving !== undefined) return keepBeside(step, { host: { packages, files }, at })
  if (from === undefined) return stateOf(name, packages)
  const version = from
  await files.keep(archivePath(packages, { name, architecture: found?.architecture ?? architecture, version }), at)
  return { ...(await stateOf(name, packages)), archive: at }
}

/** The versions that stay need no archive. */
async function keepBeside(
  step: PackageStep,
  { host: { packages, files }, at }: { readonly host: Pick<HostHands, 'packages' | 'files'>; readonly at: string },
): Promise<Before> {
  const { name, architecture } = step
  const gone: { version: string; archive: string }[] = []
  for (const version of departures(step)) {
    const archive = `${at.slice(0, -packages.format.suffix.length)}.${gone.length}${packages.format.suffix}`
    await files.keep(archivePath(packages, { name, architecture, version }), archive)
    gone.push({ version, archive })
  }
  const came = arrivals(step).map((version) => ({ version, architecture }))
  return { ...(await stateOf(name, packages)), beside: { came, gone } }
}

function archivesOf({ archive, beside }: Before): string[] {
  return [...(archive === undefined ? [] : [archive]), ...(beside?.gone ?? []).map((each) => each.archive)]
}

async function keepFiles(
  steps: readonly PackageStep[],
  { host: { packages, files }, backup }: { readonly host: HostHands; readonly backup: string },
): Promise<Pick<PackageUndo, 'files' | 'leftovers'>> {
  const kept: PackageUndo['files'] = []
  const leftovers: string[] = []
  for (const [step, version] of steps.flatMap((each) => arrivals(each).map((to) => [each, to] as const))) {
    const brought = await packages.contents(archivePath(packages, { ...step, version }))
    const owned = new Set(await packages.files(step.name))
    for (const path of brought) {
      if (!owned.has(path)) kept.push(...(await keepFile(path, { files, at: `${backup}.file-${kept.length}` })))
      if (path.startsWith('/etc/')) leftovers.push(...(await missingLeftovers(path, { files, packages })))
    }
  }
  return { files: kept, leftovers }
}

async function keepFile(
  path: string,
  { files, at }: { readonly files: HostFiles; readonly at: string },
): Promise<PackageUndo['files']> {
  const stat = await files.stat(path)
  if (stat?.type !== 'file') return []
  await files.keep(path, at)
  return [{ path, from: at, mode: stat.mode, uid: stat.uid, gid: stat.gid }]
}

async function missingLeftovers(path: string, { files, packages }: Pick<HostHands, 'files' | 'packages'>): Promise<string[]> {
  const names = packages.format.leftovers.map((ending) => `${path}.${ending}`)
  const missing: string[] = []
  for (const name of names) if ((await files.stat(name)) === undefined) missing.push(name)
  return missing
}

async function putVersionsBack(wanted: readonly Before[], packages: PackageManager): Promise<void> {
  const differing: Before[] = []
  for (const each of wanted) if (!(await hasVersion(each, packages))) differing.push(each)
  if (differing.length === 0) return
  const work = {
    install: (await Promise.all(differing.map((each) => missingArchives(each, packages)))).flat(),
    remove: differing.filter(({ version, beside }) => version === null && beside === undefined).map(({ name }) => name),
    removeVersions: (await Promise.all(differing.map((each) => versionsThatCame(each, packages)))).flat(),
  }
  const isDone = async () => {
    for (const each of wanted) if (!(await hasVersion(each, packages))) return false
    return true
  }
  await applyUntil(work, { packages, isDone })
}

async function missingArchives({ name, archive, beside }: Before, packages: PackageManager): Promise<string[]> {
  if (beside === undefined) return archive === undefined ? [] : [archive]
  const there = versionsOf(await packages.installed(name))
  return beside.gone.filter(({ version }) => !there.includes(version)).map((each) => each.archive)
}

/** Somebody may have removed it meanwhile. */
async function versionsThatCame({ name, beside }: Before, packages: PackageManager): Promise<PackageArchive[]> {
  const there = versionsOf(await packages.installed(name))
  return (beside?.came ?? []).filter(({ version }) => there.includes(version)).map((each) => ({ name, ...each }))
}

/** Of one that stands beside others, all that came has gone again, and what had gone is there; what others changed beside them stays. */
async function hasVersion({ name, version, beside }: Before, packages: PackageManager): Promise<boolean> {
  if (beside === undefined) return isAt(version ?? undefined, { name, packages })
  const found = await packages.installed(name)
  const there = versionsOf(found)
  const isBack = beside.gone.every((each) => there.includes(each.version) && found?.complete)
  return isBack && !beside.came.some((each) => there.includes(each.version))
}

async function isBefore(each: Before, packages: PackageManager): Promise<boolean> {
  if (!(await hasVersion(each, packages))) return false
  return each.version === null || (await packages.installed(each.name))?.held === each.held
}

async function requireBefore(each: Before, packages: PackageManager): Promise<void> {
  if (await hasVersion(each, packages)) return
  throw new Error(`put package "${each.name}" back to ${each.version ?? 'not installed'}: it is not`)
}
