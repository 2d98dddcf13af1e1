import * as z from 'zod/mini'
import { canonicalJson, type Json } from '../../protocol/digest.ts'
import { AgentError } from '../agent-error.ts'
import type { StatePaths } from '../paths.ts'
import type { BoundBaseline, HostHands } from '../resources/kind.ts'
import type { Kinds } from '../resources/kinds.ts'
import { sha256Of } from '../sha256.ts'
import { type Claim, type Managed, unitsThatRead } from './managed.ts'

/** What the host had before nodewave managed one thing on it. */
export interface Baseline {
  readonly kind: string
  /** The path or unit. */
  readonly key: string
  /** Units that read the thing when they start. */
  readonly restarts: readonly string[]
  readonly base: BoundBaseline
  /** An agent that does not know the kind has applied something since, and left the thing as it was: it has yet to be given back. */
  readonly left?: boolean | undefined
}

/**
 * Everything that nodewave manages on this host, as it was before. What Git names is merged over it, and what Git does not name any more
 * goes back to it.
 */
export interface Baselines {
  readonly list: readonly Baseline[]
  /** By collection, as they stand in the index: records that another version of the agent wrote. They are kept, and left alone. */
  readonly foreign: Readonly<Record<string, readonly unknown[]>>
}

const NO_BASELINES: Baselines = { list: [], foreign: {} }

export type Place = { readonly paths: StatePaths; readonly host: HostHands; readonly kinds: Kinds }

const VERSION = 2

/** Collections by name. The first release wrote records of files and units without their kind, and no version. */
const index = z.catchall(
  z.object({ version: z.optional(z.number()), sha256: z.optional(z.string()) }),
  z.array(z.looseObject({})),
)
const entry = z.looseObject({ kind: z.string(), restarts: z.optional(z.array(z.string())), left: z.optional(z.boolean()) })

export async function readBaselines({ paths, host, kinds }: Place): Promise<Baselines> {
  const bytes = await host.files.read(paths.baselineIndex)
  if (bytes === undefined) return NO_BASELINES
  const read = index.safeParse(parseJson(bytes))
  // Going on without it would take our own files for the machine's, and lose the way back for ever.
  if (!read.success || !isIntact(read.data))
    throw new AgentError(
      `read "${paths.baselineIndex}": not what the agent wrote; restore it, or remove it and run "nodewave agent rebase" to take the host as it is now`,
      { kind: 'internal', reason: 'BaselinesUnreadable' },
    )
  const { version: _version, sha256: _sha256, ...collections } = read.data
  const list: Baseline[] = []
  const foreign: Record<string, unknown[]> = {}
  for (const [collection, records] of Object.entries(collections as Record<string, object[]>))
    for (const record of records) {
      const found = toBaseline(record, { collection, kinds })
      if (found === undefined) foreign[collection] = [...(foreign[collection] ?? []), record]
      else list.push(found)
    }
  return { list, foreign }
}

function toBaseline(
  record: object,
  { collection, kinds }: { readonly collection: string; readonly kinds: Kinds },
): Baseline | undefined {
  const { success, data } = entry.safeParse({ kind: kindOfFirstRelease(collection, record), ...record })
  const base = success ? kinds.baseline(data, collection) : undefined
  return base && { kind: base.kind, key: base.key, restarts: data?.restarts ?? [], left: data?.left, base }
}

function kindOfFirstRelease(collection: string, record: object): string | undefined {
  if (collection === 'units') return 'unit'
  return collection === 'files' ? ('variables' in record ? 'kubelet-environment' : 'file') : undefined
}

/**
 * Keeps the baseline of what is about to become managed. What is managed already keeps the baseline it has; what is not, and was not
 * touched by us since, is taken as it is now.
 */
export async function captureBaselines(managed: Managed, options: Place & { readonly already: Managed }): Promise<Baselines> {
  const { already } = options
  const before = await readBaselines(options)
  const known = before.list.filter(
    (baseline) => baseline.left || already.claims.some((claim) => isSame(claim, baseline, options.kinds)),
  )
  const fresh = managed.claims.filter((claim) => !known.some((baseline) => isSame(claim, baseline, options.kinds)))
  const ours = known.flatMap(({ base }) => base.directories)
  const list = [...known]
  for (const claim of fresh) list.push(await captureOne(claim, { ...options, managed, ours }))
  const after = { list, foreign: leftAlone(before.foreign) }
  if (toText(after, options.kinds) !== toText(before, options.kinds)) await writeBaselines(after, options)
  return after
}

function leftAlone(foreign: Baselines['foreign']): Baselines['foreign'] {
  const marked = (record: unknown): unknown => ({ ...(record as object), left: true })
  return Object.fromEntries(Object.entries(foreign).map(([collection, records]) => [collection, records.map(marked)]))
}

export async function captureOne(
  claim: Claim,
  { managed, ours, kinds, host, paths }: Place & { readonly managed: Managed; readonly ours: readonly string[] },
): Promise<Baseline> {
  const base = await kinds.named(claim.kind).capture(claim, { host, paths, ours })
  return { kind: claim.kind, key: claim.key, restarts: unitsThatRead(claim.key, managed), base }
}

/** Forgets everything but what is still managed: it went back to what it was, and is its owner's again. */
export async function pruneBaselines(managed: Managed, place: Place): Promise<void> {
  const before = await readBaselines(place)
  const list: Baseline[] = []
  for (const baseline of before.list) {
    const isManaged = managed.claims.some((claim) => isSame(claim, baseline, place.kinds))
    if (isManaged || (baseline.left && !(await isGivenBack(baseline, { managed, place }))))
      list.push(ofItsKind(baseline, { managed, kinds: place.kinds }))
  }
  if (list.every((baseline, index) => baseline === before.list[index]) && list.length === before.list.length) return
  await writeBaselines({ ...before, list }, place)
  await sweepContents(list, place)
}

/** The kind that manages the thing now gives it back. */
function ofItsKind(baseline: Baseline, { managed, kinds }: { readonly managed: Managed; readonly kinds: Kinds }): Baseline {
  const kind = managed.claims.find((claim) => isSame(claim, baseline, kinds))?.kind ?? baseline.kind
  const base = kind === baseline.kind ? undefined : kinds.named(kind).takesOver(baseline.base)
  return base === undefined ? baseline : { ...baseline, kind, base }
}

/** What applied the rest may have been an agent that could not give this back. */
async function isGivenBack(
  { base }: Baseline,
  { managed, place }: { readonly managed: Managed; readonly place: Place },
): Promise<boolean> {
  const resource = await base.giveBack(place.host.files, managed)
  return (await resource.observe(place.host)).change === undefined
}

/** Kinds that share a collection manage the same things. */
export function isSame(a: { kind: string; key: string }, b: { kind: string; key: string }, kinds: Kinds): boolean {
  return a.key === b.key && kinds.named(a.kind).collection === kinds.named(b.kind).collection
}

async function sweepContents(list: readonly Baseline[], { paths, host }: Place): Promise<void> {
  const kept = new Set(list.map(({ base }) => base.content?.at))
  for (const name of await host.files.list(paths.baselineContents)) {
    const at = `${paths.baselineContents}/${name}`
    if (!kept.has(at)) await host.files.remove(at)
  }
}

export async function writeBaselines(baselines: Baselines, { paths, host, kinds }: Place): Promise<void> {
  if (baselines.list.length === 0 && Object.keys(baselines.foreign).length === 0) return host.files.removeTree(paths.baselines)
  await host.files.writeAtomic(paths.baselineIndex, Buffer.from(toText(baselines, kinds)), { mode: 0o600 })
}

/** An agent of the first release reads `files` and `units`, and neither version nor kinds. */
function toText({ list, foreign }: Baselines, kinds: Kinds): string {
  const collections: Record<string, unknown[]> = { files: [], units: [] }
  for (const { kind, restarts, base, left } of list) {
    const name = kinds.named(kind).collection
    collections[name] = [...(collections[name] ?? []), { kind, ...base.record, restarts, ...(left && { left }) }]
  }
  for (const [name, records] of Object.entries(foreign)) collections[name] = [...(collections[name] ?? []), ...records]
  const content = { version: VERSION, ...collections }
  return JSON.stringify({ ...content, sha256: checksum(content) })
}

/** The first release wrote no checksum, and drops ours when it writes. */
function isIntact({ sha256, ...content }: z.infer<typeof index>): boolean {
  return sha256 === undefined ? content.version === undefined : content.version === VERSION && sha256 === checksum(content)
}

function checksum(content: object): string {
  return sha256Of(Buffer.from(canonicalJson(content as Json)))
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
