import { atMost, type Disruption } from '../../protocol/desired-config.ts'
import { wavesOf } from '../exposure/waves.ts'
import type { RolloutPolicy, Share, WavePolicy } from '../model/policy.ts'
import { resolveShare } from '../model/share.ts'
import { loosenedWindows } from './loosened-windows.ts'

/** What a pool is rolled out by, as far as it is compared; of gates no more than what they are called and that they are equal. */
export type ComparedPolicy = Omit<RolloutPolicy, 'gates' | 'byHand'> & {
  readonly gates?: readonly { readonly name: string }[]
  readonly disruption?: ComparedDisruption
}

/** How much changes disturb a node, where the repository says it. */
export interface ComparedDisruption {
  readonly minorVersion?: Disruption
  readonly patchVersion?: Disruption
  readonly fields?: Readonly<Record<string, Disruption>>
}

/** What the Fleet limits over all pools. */
export interface ComparedFleet {
  readonly maxUnavailable?: Share | undefined
  readonly maxFailures?: Share | undefined
  readonly blastRadius?: { readonly maxNodes?: Share | undefined; readonly maxFilesDeleted?: number | undefined } | undefined
  readonly byHand?: 'Allow' | 'Deny' | undefined
}

/** A field of a spec that stops less after a commit than before it. */
export interface Loosening {
  readonly field: string
  readonly from: string
  readonly to: string
}

/** Whether a value lets more pass than the one before; shares of different kinds are compared in so many nodes. */
type Loosens = (from: unknown, to: unknown, nodes: number) => boolean
type Row<Policy> = readonly [field: string, value: (policy: Policy) => unknown, loosens: Loosens]

const toMore: Loosens = (from, to, nodes) => from !== undefined && (to === undefined || isMore(to, from, nodes))
const toGreater: Loosens = (from, to) => from !== undefined && (to === undefined || Number(to) > Number(from))
const toLess: Loosens = (from, to) => Number(to) < Number(from)
/** Pods are given less time. */
const toShorter: Loosens = (from, to) => to !== undefined && (from === undefined || toLess(from, to, 0))
const toOther: Loosens = (from, to) => !isSame(from, to)
const whereStated =
  (loosens: Loosens): Loosens =>
  (from, to, nodes) =>
    from !== undefined && to !== undefined && loosens(from, to, nodes)
const to =
  (value: unknown): Loosens =>
  (from, to) =>
    to === value && from !== value
const down =
  (...steps: readonly unknown[]): Loosens =>
  (from, to) =>
    steps.indexOf(to) > steps.indexOf(from)

const FLEET: readonly Row<ComparedFleet>[] = [
  ['maxUnavailable', ({ maxUnavailable }) => maxUnavailable, toMore],
  ['maxFailures', ({ maxFailures }) => maxFailures, toMore],
  ['blastRadius.maxNodes', ({ blastRadius }) => blastRadius?.maxNodes, toMore],
  ['blastRadius.maxFilesDeleted', ({ blastRadius }) => blastRadius?.maxFilesDeleted, toGreater],
  ['byHand', ({ byHand = 'Deny' }) => byHand, to('Allow')],
]

const POOL: readonly Row<ComparedPolicy>[] = [
  ['rollout.maxUnavailable', ({ maxUnavailable }) => maxUnavailable, toMore],
  ['rollout.maxFailures', ({ maxFailures }) => maxFailures, toMore],
  ['rollout.onFailure', ({ onFailure }) => onFailure, toOther],
  ['rollout.zones', ({ zones }) => zones, to('Any')],
  ['rollout.cordoned', ({ cordoned }) => cordoned, to('Change')],
  ['rollout.allowDowngrade', ({ allowDowngrade = false }) => allowDowngrade, to(true)],
  ['rollout.rollbackOutsideWindows', (policy) => policy.rollbackOutsideWindows, to(true)],
  ['rollout.drain.mode', ({ drain }) => drain.mode, down('Always', 'Auto', 'Never')],
  ['rollout.drain.onTimeout', ({ drain }) => drain.onTimeout, to('Proceed')],
  // How long a drain takes decides nothing unless the node is then changed with the pods that are left.
  ['rollout.drain.timeout', ({ drain }) => (drain.onTimeout === 'Proceed' ? drain.timeout : undefined), whereStated(toLess)],
  ['rollout.drain.gracePeriodSeconds', ({ drain }) => drain.gracePeriodSeconds, toShorter],
  ['rollout.drain.deleteEmptyDirData', ({ drain }) => drain.deleteEmptyDirData, to(true)],
  ['rollout.drain.force', ({ drain }) => drain.force, to(true)],
  ['rollout.reboot.whenRequired', ({ reboot }) => reboot?.whenRequired ?? 'Never', to('InWindows')],
  ['rollout.proof.pod.mode', ({ proof }) => proof?.mode ?? 'Never', down('Always', 'Auto', 'Never')],
]

const WAVE: readonly Row<WavePolicy>[] = [
  ['nodes', ({ nodes }) => nodes, (from, to, nodes) => !isSame(from, to) && isMore(to, from, nodes)],
  ['soak', ({ soak }) => soak, toLess],
  ['manual', ({ manual }) => manual, to(false)],
  ['maxFailures', ({ maxFailures }) => maxFailures, toMore],
]

/** Pure: what the Fleet stops less. */
export function loosenedFleet(before: ComparedFleet, after: ComparedFleet, nodes: number): readonly Loosening[] {
  return rowsThatLoosen(FLEET, { before, after, nodes })
}

/** Pure: what the policy that nodes are rolled out by stops less. */
export function loosenedPolicy(before: ComparedPolicy, after: ComparedPolicy, nodes: number): readonly Loosening[] {
  return [
    ...rowsThatLoosen(POOL, { before, after, nodes }),
    ...loosenedDisruption(before.disruption, after.disruption),
    ...loosenedWaves(before, after, nodes),
    ...loosenedGates(before.gates, after.gates),
    ...loosenedWindows(before.windows, after.windows).map((change) => ({ field: 'rollout.windows', ...change })),
    ...dependenciesOf(before)
      .filter((pool) => !dependenciesOf(after).includes(pool))
      .map((pool) => ({ field: 'dependsOn', from: pool, to: REMOVED })),
  ]
}

function dependenciesOf({ dependsOn = [], dependsOnClusters = [] }: ComparedPolicy): readonly string[] {
  return [...dependsOn, ...dependsOnClusters.map(({ cluster, pool }) => `${cluster}/${pool}`)]
}

/** As docs/drain.md says of versions; of fields, what is stated no more may be anything. */
const VERSION_DEFAULTS = { minorVersion: 'drain', patchVersion: 'restart' } as const

function loosenedDisruption(before: ComparedDisruption = {}, after: ComparedDisruption = {}): Loosening[] {
  const versions = (['minorVersion', 'patchVersion'] as const).map((field) => {
    return [field, before[field] ?? VERSION_DEFAULTS[field], after[field] ?? VERSION_DEFAULTS[field]] as const
  })
  const names = new Set([...Object.keys(before.fields ?? {}), ...Object.keys(after.fields ?? {})])
  const fields = [...names].map((name) => [`fields.${name}`, before.fields?.[name], after.fields?.[name]] as const)
  return [...versions, ...fields].flatMap(([field, from, to]) =>
    isMilder(from, to) ? [{ field: `rollout.disruption.${field}`, from: from ?? DEFAULT, to: to ?? DEFAULT }] : [],
  )
}

/** What is not stated is a default that is not known here: to state "reboot" is never milder, to take it away may be. */
function isMilder(from: Disruption | undefined, to: Disruption | undefined): boolean {
  if (from === to) return false
  return !atMost(from ?? 'reboot', to ?? 'restart')
}

const DEFAULT = 'default'
const REMOVED = 'removed'

function rowsThatLoosen<Policy>(
  rows: readonly Row<Policy>[],
  { before, after, nodes }: { readonly before: Policy; readonly after: Policy; readonly nodes: number },
): Loosening[] {
  return rows.flatMap(([field, value, loosens]) => {
    const [from, to] = [value(before), value(after)]
    const unit = field === 'soak' || field === 'rollout.drain.timeout' ? 's' : ''
    return loosens(from, to, nodes) ? [{ field, from: text(from, unit), to: text(to, unit) }] : []
  })
}

/** The first wave with the first, and so on. */
function loosenedWaves(before: ComparedPolicy, after: ComparedPolicy, nodes: number): Loosening[] {
  const news = wavesThatStop(after, nodes)
  return wavesThatStop(before, nodes).flatMap((old, order) => {
    const now = news[order]
    if (now === undefined) return [{ field: `rollout.waves[${old.index}]`, from: `"${old.wave.name}"`, to: REMOVED }]
    const loosened = rowsThatLoosen(WAVE, { before: old.wave, after: now.wave, nodes })
    return loosened.map(({ field, ...values }) => ({ field: `rollout.waves[${now.index}].${field}`, ...values }))
  })
}

/** The last one takes what is left, whatever it states. One of no nodes opens the next at once: it is none. */
function wavesThatStop(policy: ComparedPolicy, total: number): { readonly wave: WavePolicy; readonly index: number }[] {
  return wavesOf(policy)
    .map((wave, index, all) => ({ index, wave: index < all.length - 1 ? wave : { ...wave, nodes: { percent: 100 } } }))
    .filter(({ wave: { nodes } }) => !isShare(nodes) || resolveShare(nodes, total || 100) > 0)
}

/** Which of two checks is the stricter one nobody can tell. */
function loosenedGates(before: ComparedPolicy['gates'] = [], after: ComparedPolicy['gates'] = []): Loosening[] {
  return before.flatMap((gate) => {
    const now = after.find(({ name }) => name === gate.name)
    if (isSame(gate, now)) return []
    return [{ field: 'rollout.gates', from: `"${gate.name}"`, to: now === undefined ? REMOVED : 'changed' }]
  })
}

/** Nodes by label cannot be compared with others: they count as more. */
function isMore(one: unknown, other: unknown, nodes: number): boolean {
  if (!isShare(one) || !isShare(other)) return true
  if ('percent' in one && 'percent' in other) return one.percent > other.percent
  return 'count' in one && 'count' in other ? one.count > other.count : resolveShare(one, nodes) > resolveShare(other, nodes)
}

function isShare(value: unknown): value is Share {
  return typeof value === 'object' && value !== null && ('count' in value || 'percent' in value)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function text(value: unknown, unit: string): string {
  if (value === undefined) return REMOVED
  if (isShare(value)) return 'count' in value ? String(value.count) : `${value.percent}%`
  if (unit === 's') return `${Number(value) / 1000}s`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
