import { AgentError } from '../../agent-error.ts'
import { archiveStart, type PackageStep, type PackageWish } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { packageKey } from './package-key.ts'
import type { RpmDatabase, RpmPackage } from './rpm-database.ts'
import { complaintOf } from './rpm-text.ts'

/** What a solver says of one package. */
export interface PlannedPackage {
  readonly name: string
  readonly architecture: string
  readonly version: string
  readonly to: 'installed' | 'replaced' | 'removed'
}

/** @throws {AgentError} PackageConflict for a package that is to come beside itself where nobody can tell its versions apart afterwards */
export async function stepsOf(planned: readonly PlannedPackage[], database: RpmDatabase): Promise<PackageStep[]> {
  const steps: PackageStep[] = []
  for (const [name, all] of Map.groupBy(planned, packageKey)) {
    const step = (await database.isBeside(name)) ? await besideStep(name, all, database) : await stepOf(name, all, database)
    if (step !== undefined) steps.push(step)
  }
  return steps
}

async function stepOf(name: string, all: readonly PlannedPackage[], database: RpmDatabase): Promise<PackageStep | undefined> {
  const [{ version, architecture, to } = missing(name), ...more] = all
  const from = (await database.find(name))?.version
  if (more.length > 0 || (to === 'installed' && from !== undefined)) throw twice(name)
  if (to === 'removed') return { name, architecture, from: version }
  return from === version ? undefined : { name, architecture, ...(from === undefined ? {} : { from }), to: version }
}

/** One version comes, or some go; what is there beside them stays. */
async function besideStep(name: string, all: readonly PlannedPackage[], database: RpmDatabase): Promise<PackageStep> {
  const there = (await database.versions(name)).map(({ version }) => version)
  const leaving = all.filter(({ to }) => to === 'removed').map(({ version }) => version)
  const coming = all.filter(({ to }) => to !== 'removed').map(({ version }) => version)
  const stay = there.filter((version) => !leaving.includes(version))
  const [to = stay.at(-1), ...more] = coming
  if (more.length > 0 || (coming.length > 0 && leaving.length > 0)) throw twice(name)
  const { architecture } = all[0] ?? missing(name)
  return { name, architecture, from: there.at(-1), ...(to === undefined ? {} : { to }), leaving }
}

function missing(name: string): never {
  throw new Error(`read what is planned for package "${name}": there is nothing`)
}

function twice(name: string): AgentError {
  const message = `change packages: "${name}" would be there more than once, in versions beside each other`
  const remedy = 'such a package is managed when it provides installonlypkg(kernel), and one version of it at a time'
  return new AgentError(`${message}; ${remedy}`, { kind: 'validate', reason: 'PackageConflict' })
}

/**
 * What takes a host back to a version that stands beside newer ones: these go, with all parts of their kernels. The solver alone would find
 * that the version is there, and do nothing.
 */
export async function versionsAfter(
  { name, version, state }: PackageWish,
  database: RpmDatabase,
): Promise<readonly RpmPackage[]> {
  if (state === 'absent' || version === undefined || !(await database.isBeside(name))) return []
  const versions = await database.versions(name)
  const at = versions.findIndex((each) => each.version === version)
  const parts: RpmPackage[] = []
  if (at >= 0) for (const newer of versions.slice(at + 1)) parts.push(...(await database.partsOf(newer)))
  return parts
}

export interface SolverOutput {
  readonly text: string
  /** Repositories that did not answer. */
  readonly missed: readonly string[]
  /** No repository has a package, or not in this version. */
  readonly isUnknown: boolean
}

/** Solvers do what they can, and leave out the rest. @throws {AgentError} unless the steps fulfil all wishes */
export async function requireAll(
  wishes: readonly PackageWish[],
  steps: readonly PackageStep[],
  { database, output }: { readonly database: RpmDatabase; readonly output: SolverOutput },
): Promise<void> {
  for (const { name, version, state } of wishes) {
    const step = steps.find((each) => each.name === name)
    const after = step === undefined ? (await database.find(name))?.version : step.to
    if (state === 'absent' ? after === undefined : after !== undefined && (version === undefined || version === after)) continue
    if (output.missed.length > 0) throw unanswered(output)
    const isPart = step?.to !== undefined && version !== undefined
    const why = isPart ? `"${version}" is no whole version of "${name}": a repository has "${step.to}"` : complaintOf(output.text)
    const reason = isPart || output.isUnknown ? 'PackageNotFound' : 'PackageConflict'
    throw new AgentError(`solve the dependencies of packages: ${why}`, { kind: 'validate', reason })
  }
}

function unanswered({ missed, text }: SolverOutput): AgentError {
  const message = `refresh the package index: "${missed.join('", "')}" does not answer; without it: ${complaintOf(text)}`
  return new AgentError(message, { kind: 'download', reason: 'RepositoryUnavailable' })
}

/** Archives of the store, by name: what was installed before needs no repository that knows of it. */
export async function storedArchives(
  wishes: readonly PackageWish[],
  { files, store }: { readonly files: HostFiles; readonly store: string },
): Promise<ReadonlyMap<string, string>> {
  const names = await files.list(store)
  const found = new Map<string, string>()
  for (const { name, version } of wishes) {
    const start = version && archiveStart({ name, version })
    const archive = start && names.find((each) => each.startsWith(start) && each.endsWith('.rpm'))
    if (archive) found.set(name, `${store}/${archive}`)
  }
  return found
}

/** Empties the directory for downloads. @returns how to list what came */
export async function downloads(directory: string, files: HostFiles): Promise<() => Promise<readonly string[]>> {
  await files.removeTree(directory)
  await files.writeAtomic(`${directory}/.keep`, new Uint8Array())
  return async () => (await files.list(directory)).filter((name) => name.endsWith('.rpm')).map((name) => `${directory}/${name}`)
}
