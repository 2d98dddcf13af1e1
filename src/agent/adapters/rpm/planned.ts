import { AgentError } from '../../agent-error.ts'
import { archiveStart, type PackageStep, type PackageWish } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { RpmDatabase } from './rpm-database.ts'
import { complaintOf } from './rpm-text.ts'

/** What a solver says of one package. */
export interface PlannedPackage {
  readonly name: string
  readonly architecture: string
  readonly version: string
  readonly to: 'installed' | 'replaced' | 'removed'
}

/** @throws {AgentError} PackageConflict for versions or architectures beside each other */
export async function stepsOf(planned: readonly PlannedPackage[], database: RpmDatabase): Promise<PackageStep[]> {
  await refuseMany(planned, database)
  const steps: PackageStep[] = []
  for (const { name, architecture, version, to } of planned) {
    const from = (await database.find(name))?.version
    if (to === 'removed') steps.push({ name, architecture, from: version })
    else if (from !== version) steps.push({ name, architecture, ...(from === undefined ? {} : { from }), to: version })
  }
  return steps
}

/** Versions beside each other, such as kernels, and a package of two architectures: an undo by name would take both. */
async function refuseMany(planned: readonly PlannedPackage[], database: RpmDatabase): Promise<void> {
  for (const [index, { name, to }] of planned.entries()) {
    const isTwice = planned.findIndex((each) => each.name === name) < index
    const isBeside = to === 'installed' && (await database.find(name)) !== undefined
    if (!isTwice && !isBeside) continue
    const message = `change packages: "${name}" would be there more than once, in versions or architectures beside each other`
    throw new AgentError(`${message}; such packages are not managed`, { kind: 'validate', reason: 'PackageConflict' })
  }
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
