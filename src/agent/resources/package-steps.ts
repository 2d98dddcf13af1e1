import type { InstalledPackage, PackageStep } from '../package-manager.ts'

/** Pure: all versions that are there. */
export function versionsOf(found: InstalledPackage | undefined): readonly string[] {
  return found === undefined ? [] : [...(found.others ?? []), found.version]
}

/** Pure: the version that a step brings. What stays when newer versions go is there already. */
export function arrivals({ to, leaving = [] }: PackageStep): readonly string[] {
  return to === undefined || leaving.length > 0 ? [] : [to]
}

/** Pure: the versions that a step takes away. */
export function departures({ from, leaving }: PackageStep): readonly string[] {
  return leaving ?? (from === undefined ? [] : [from])
}
