import type { PackageWish } from '../../agent/package-manager.ts'

/** A package as its archive has it. */
export interface PackageDefinition {
  readonly name: string
  readonly version: string
  /** `lib`, or at least a version of it: `lib 2.0`; or one: `lib = 2.0`. */
  readonly depends?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Of the files, those that people may edit. */
  readonly conffiles?: readonly string[]
  /** Its postinst ends with an error; or its preinst kills dpkg, as a power failure does. */
  readonly script?: 'fails' | 'kills dpkg'
  /** Only of rpm: its versions stand beside each other. */
  readonly installOnly?: true
  /** Only of rpm. Default: the one of the machine. */
  readonly architecture?: 'i686'
}

export type Offer = PackageDefinition

export interface Solved {
  readonly name: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly leaving?: readonly string[]
}

/** Pure: under which the host has one of it. */
export function keyOf({ name, version, installOnly }: PackageDefinition): string {
  return installOnly ? `${name} ${version}` : name
}

/**
 * Pure: what the manager would do. It removes what does not go together with the wishes.
 * @param installed in the order in which they were installed
 * @returns undefined when the wishes contradict each other
 */
export function solve(
  wishes: readonly PackageWish[],
  { installed, offers }: { readonly installed: ReadonlyMap<string, PackageDefinition>; readonly offers: readonly Offer[] },
): Solved[] | undefined {
  const after = new Map(installed)
  for (const wish of wishes) if (!fulfil(wish, after, offers)) return undefined
  const wished = new Set(wishes.map(({ name }) => name))
  if (!bringDependencies(after, { wished, offers })) return undefined
  const names = new Set([...installed.values(), ...after.values()].map(({ name }) => name))
  // The agent tells no two versions apart that come at once.
  const coming = [...after.values()].filter((each) => each.installOnly && !installed.has(keyOf(each))).map(({ name }) => name)
  if (new Set(coming).size < coming.length) return undefined
  return [...names].flatMap((name) => stepOf(name, { installed, after }) ?? [])
}

function fulfil({ name, version, state }: PackageWish, after: Map<string, PackageDefinition>, offers: readonly Offer[]): boolean {
  const there = versionsOf(name, after)
  if (state === 'absent') for (const each of there) after.delete(keyOf(each))
  if (state === 'absent' || (version === undefined ? there.length > 0 : there.at(-1)?.version === version)) return true
  const at = there.findIndex((each) => each.version === version)
  if (at >= 0) {
    // The same version of its parts goes with each version.
    const newer = there.slice(at + 1).map((each) => each.version)
    for (const [key, each] of after) if (each.installOnly && newer.includes(each.version)) after.delete(key)
    return true
  }
  const found = newest(offers.filter((offer) => offer.name === name && (version === undefined || offer.version === version)))
  if (found !== undefined) after.set(keyOf(found), found)
  return found !== undefined
}

function stepOf(
  name: string,
  { installed, after }: Readonly<Record<'installed' | 'after', ReadonlyMap<string, PackageDefinition>>>,
): Solved | undefined {
  const [before, then] = [versionsOf(name, installed), versionsOf(name, after)]
  const [from, to] = [before.at(-1), then.at(-1)]
  const leaving = before.filter((each) => !then.includes(each)).map(({ version }) => version)
  if (leaving.length === 0 && from === to) return undefined
  const versions = { ...(from && { from: from.version }), ...(to && { to: to.version }) }
  return { name, ...versions, ...((from ?? to)?.installOnly && from ? { leaving } : {}) }
}

function versionsOf(name: string, all: ReadonlyMap<string, PackageDefinition>): PackageDefinition[] {
  return [...all.values()].filter((each) => each.name === name)
}

function bringDependencies(
  after: Map<string, PackageDefinition>,
  { wished, offers }: { readonly wished: ReadonlySet<string>; readonly offers: readonly Offer[] },
): boolean {
  for (;;) {
    const broken = [...after.values()].flatMap((user) => unmet(user, after).map((need) => ({ user, need })))[0]
    if (broken === undefined) return true
    const { user, need } = broken
    const found = newest(offers.filter((offer) => isMet(need, offer) && (offer.installOnly || !wished.has(offer.name))))
    if (found !== undefined) after.set(keyOf(found), found)
    else if (wished.has(user.name)) return false
    else after.delete(keyOf(user))
  }
}

function unmet({ depends = [] }: PackageDefinition, after: ReadonlyMap<string, PackageDefinition>): string[] {
  return depends.filter((need) => ![...after.values()].some((each) => isMet(need, each)))
}

function isMet(need: string, { name, version }: PackageDefinition): boolean {
  const [wanted, ...condition] = need.split(' ')
  const [least = '', exact] = condition[0] === '=' ? ['', condition[1]] : condition
  return name === wanted && (exact === undefined ? compare(version, least) >= 0 : version === exact)
}

function newest(offers: readonly Offer[]): Offer | undefined {
  return offers.toSorted((a, b) => compare(b.version, a.version))[0]
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
