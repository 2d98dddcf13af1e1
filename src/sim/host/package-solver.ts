import type { PackageWish } from '../../agent/package-manager.ts'

/** A package as its archive has it. */
export interface PackageDefinition {
  readonly name: string
  readonly version: string
  /** `lib`, or at least a version of it: `lib 2.0`. */
  readonly depends?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Of the files, those that people may edit. */
  readonly conffiles?: readonly string[]
  /** Its postinst ends with an error; or its preinst kills dpkg, as a power failure does. */
  readonly script?: 'fails' | 'kills dpkg'
}

export type Offer = PackageDefinition

export interface Solved {
  readonly name: string
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Pure: what apt would do. It removes what does not go together with the wishes. @returns undefined when the wishes contradict each other */
export function solve(
  wishes: readonly PackageWish[],
  { installed, offers }: { readonly installed: ReadonlyMap<string, PackageDefinition>; readonly offers: readonly Offer[] },
): Solved[] | undefined {
  const after = new Map(installed)
  for (const { name, version, state } of wishes) {
    if (state === 'absent') after.delete(name)
    else if (version === undefined ? !after.has(name) : after.get(name)?.version !== version) {
      const found = newest(offers.filter((offer) => offer.name === name && (version === undefined || offer.version === version)))
      if (found === undefined) return undefined
      after.set(name, found)
    }
  }
  const wished = new Set(wishes.map(({ name }) => name))
  if (!bringDependencies(after, { wished, offers })) return undefined
  return [...new Set([...installed.keys(), ...after.keys()])].flatMap((name) => {
    const [from, to] = [installed.get(name)?.version, after.get(name)?.version]
    return from === to ? [] : [{ name, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  })
}

function bringDependencies(
  after: Map<string, PackageDefinition>,
  { wished, offers }: { readonly wished: ReadonlySet<string>; readonly offers: readonly Offer[] },
): boolean {
  for (;;) {
    const broken = [...after.values()].flatMap((user) => unmet(user, after).map((need) => ({ user, need })))[0]
    if (broken === undefined) return true
    const { user, need } = broken
    const [name = '', least = ''] = need.split(' ')
    const found = wished.has(name)
      ? undefined
      : newest(offers.filter((offer) => offer.name === name && compare(offer.version, least) >= 0))
    if (found !== undefined) after.set(name, found)
    else if (wished.has(user.name)) return false
    else after.delete(user.name)
  }
}

function unmet({ depends = [] }: PackageDefinition, after: ReadonlyMap<string, PackageDefinition>): string[] {
  return depends.filter((need) => {
    const [name = '', least = ''] = need.split(' ')
    const found = after.get(name)
    return found === undefined || compare(found.version, least) < 0
  })
}

function newest(offers: readonly Offer[]): Offer | undefined {
  return offers.toSorted((a, b) => compare(b.version, a.version))[0]
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
