import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import { archivePath, type PackageManager, type PackageStep, type PackageWork } from '../package-manager.ts'
import type { Clock } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import type { HostHands, StageContext } from './kind.ts'
import type { PackageChange, PackageItem } from './package-spec.ts'
import { arrivals, departures, versionsOf } from './package-steps.ts'
import { rememberVersions } from './package-store.ts'

/** Milliseconds that a package manager of somebody else is waited for, before anything is changed. After that the status says who it is. */
const LONGEST_WAIT = 15_000
const POLL = 1000

const step = z.object({
  name: z.string(),
  architecture: z.string(),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  leaving: z.optional(z.array(z.string())),
})
const stagedSteps = z.array(step)

/** Solves the dependencies, and fetches the archives of both ways: of what comes, and of what the host goes back to. */
export async function stagePackages(change: PackageChange, context: StageContext): Promise<void> {
  const { ports, upcoming, signal } = context
  const { packages, files } = ports
  const wishes = wishesOf(change)
  if (wishes.length === 0) return
  await awaitManager(packages, ports.clock)
  const steps = await packages.resolve(wishes, { upcoming, signal })
  await refuseSurprises(steps, wishes, packages)
  for (const found of steps) await fetchBoth(found, { packages, signal })
  for (const item of wishes) await unpack(item, { steps, packages })
  await files.writeAtomic(recordPath(change, packages), Buffer.from(JSON.stringify(steps)), { mode: 0o600 })
}

/** Nothing is fetched and nothing is asked of a network: all of it was staged. Done twice, it finds nothing left to do. */
export async function performPackages(change: PackageChange, { packages, files }: HostHands): Promise<void> {
  const wishes = wishesOf(change)
  const steps = await readSteps(change, { packages, files })
  await rememberVersions(steps, { packages, files })
  if (await packages.isInterrupted()) await packages.repair()
  const automatic = await comingForOthers(steps, { wishes, packages })
  await applySteps(steps, packages)
  await packages.markAutomatic(automatic)
  for (const { name, held, state } of change.items) if (state === 'present') await holdAs(held, { name, packages })
  for (const item of wishes) await requireFulfilled(item, packages)
}

/** Of what nobody named: what is new, and what came for others before. apt takes each archive that it is given for named. */
async function comingForOthers(
  steps: readonly PackageStep[],
  { wishes, packages }: { readonly wishes: readonly PackageItem[]; readonly packages: PackageManager },
): Promise<string[]> {
  const names: string[] = []
  for (const { name, from, to } of steps) {
    if (to === undefined || wishes.some((item) => item.name === name)) continue
    if (from === undefined || (await packages.installed(name))?.automatic) names.push(name)
  }
  return names
}

async function applySteps(steps: readonly PackageStep[], packages: PackageManager): Promise<void> {
  const due: PackageStep[] = []
  for (const each of steps) if (!(await isTaken(each, packages))) due.push(each)
  if (due.length === 0) return
  const work = {
    install: due.flatMap((each) => arrivals(each).map((version) => archivePath(packages, { ...each, version }))),
    remove: due.filter(({ to, leaving }) => to === undefined && leaving === undefined).map(({ name }) => name),
    removeVersions: due.flatMap(({ name, architecture, leaving = [] }) =>
      leaving.map((version) => ({ name, version, architecture })),
    ),
  }
  const isDone = async () => {
    for (const each of steps) if (!(await isTaken(each, packages))) return false
    return true
  }
  await applyUntil(work, { packages, isDone })
}

/** What counts is what the database says then: with a package of somebody else that is broken for good, apt always ends with an error. */
export async function applyUntil(
  work: PackageWork,
  { packages, isDone }: { readonly packages: PackageManager; readonly isDone: () => Promise<boolean> },
): Promise<void> {
  try {
    await packages.apply(work)
  } catch (error) {
    if (!(await isDone())) throw error
  }
}

/** @param version undefined: not installed */
export async function isAt(
  version: string | undefined,
  { name, packages }: { readonly name: string; readonly packages: PackageManager },
): Promise<boolean> {
  const found = await packages.installed(name)
  return version === undefined ? found === undefined : found?.version === version && found.complete
}

async function isTaken({ name, to, leaving = [] }: PackageStep, packages: PackageManager): Promise<boolean> {
  const there = versionsOf(await packages.installed(name))
  return !leaving.some((version) => there.includes(version)) && (await isAt(to, { name, packages }))
}

/** What staging found out. */
export async function readSteps(
  change: PackageChange,
  { packages, files }: Pick<HostHands, 'packages' | 'files'>,
): Promise<readonly PackageStep[]> {
  if (wishesOf(change).length === 0) return []
  const bytes = await files.read(recordPath(change, packages))
  if (bytes === undefined) throw new Error('install packages: what was staged for them is gone')
  return stagedSteps.parse(JSON.parse(Buffer.from(bytes).toString()))
}

/** An upgrade forgets that a package was held, and so does a downgrade. */
export async function holdAs(
  held: boolean,
  { name, packages }: { readonly name: string; readonly packages: PackageManager },
): Promise<void> {
  if ((await packages.installed(name))?.held !== held) await packages.hold(name, held)
}

function wishesOf({ items }: PackageChange): PackageItem[] {
  return items.filter(({ fits }) => !fits)
}

function recordPath(change: PackageChange, { store }: PackageManager): string {
  const wishes = wishesOf(change).map(({ name, version = '', state }) => [name, version, state])
  return `${store}/steps-${sha256Of(Buffer.from(JSON.stringify(wishes))).slice(0, 20)}.json`
}

async function awaitManager(packages: PackageManager, clock: Clock): Promise<void> {
  const until = clock.elapsed() + LONGEST_WAIT
  for (let holder = await packages.holder(); holder !== undefined; holder = await packages.holder()) {
    if (clock.elapsed() >= until)
      throw new AgentError(`change packages: ${holder} has the package database; this is tried again when it is free`, {
        kind: 'sync',
        reason: 'PackageManagerBusy',
      })
    await clock.sleep(POLL)
  }
}

/** Dependencies may come and be upgraded; nothing else goes, and what somebody holds stays. */
async function refuseSurprises(
  steps: readonly PackageStep[],
  wishes: readonly PackageItem[],
  packages: PackageManager,
): Promise<void> {
  const others = steps.filter(({ name }) => !wishes.some((item) => item.name === name))
  // Parts of a kernel go with it.
  const removed = others.filter(({ to, leaving }) => to === undefined && leaving === undefined).map(({ name }) => name)
  const held: string[] = []
  for (const { name } of others) if ((await packages.installed(name))?.held) held.push(name)
  const why = removed.length > 0 ? `it would remove ${quoted(removed)}` : held.length > 0 ? `${quoted(held)} is held` : undefined
  if (why === undefined) return
  const remedy = removed.length > 0 ? 'name them with state: absent, or choose another version' : 'name it too, or unhold it'
  throw new AgentError(`change packages ${quoted(wishes.map(({ name }) => name))}: ${why}; ${remedy}`, {
    kind: 'validate',
    reason: 'PackageConflict',
  })
}

async function fetchBoth(
  found: PackageStep,
  { packages, signal }: { readonly packages: PackageManager; readonly signal: AbortSignal },
): Promise<void> {
  const { name, architecture } = found
  for (const version of arrivals(found))
    if ((await packages.fetch({ name, architecture, version }, signal)) === undefined)
      throw new AgentError(`download package "${name}" ${version}: no repository has it`, {
        kind: 'validate',
        reason: 'PackageNotFound',
      })
  const before = await packages.installed(name)
  for (const version of departures(found)) {
    const archive = { name, architecture: before?.architecture ?? architecture, version }
    if ((await packages.fetch(archive, signal)) === undefined)
      throw new AgentError(
        `change package "${name}": no repository has ${version}, which is installed, so there would be no way back; ${packages.format.bringBack}`,
        { kind: 'validate', reason: 'NoWayBack' },
      )
  }
}

async function unpack(
  { name, unpackTo }: PackageItem,
  { steps, packages }: { readonly steps: readonly PackageStep[]; readonly packages: PackageManager },
): Promise<void> {
  const found = steps.find((each) => each.name === name)
  if (unpackTo === undefined || found?.to === undefined || found.leaving !== undefined) return
  await packages.unpack(archivePath(packages, { ...found, version: found.to }), unpackTo)
}

async function requireFulfilled({ name, version, state }: PackageItem, packages: PackageManager): Promise<void> {
  const found = await packages.installed(name)
  const isThere = found?.complete === true && (version === undefined || found.version === version)
  if (state === 'absent' ? found === undefined : isThere) return
  const what = found === undefined ? 'it is not installed' : `it is ${found.complete ? '' : 'half configured, '}${found.version}`
  throw new AgentError(`change package "${name}": ${what} afterwards`, { kind: 'validate', reason: 'PackageFailed' })
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
