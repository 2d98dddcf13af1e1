import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { isMapFlag } from '../flag-maps.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { Flags } from '../schema/common.ts'
import type { Path } from '../source.ts'
import { flagPlaces, type SettingPlace } from './pool-settings.ts'

/** Keys that are removed where nothing merges, and maps that replace others though nobody has said that they are to. */
export function checkMapFlags({ documents }: Draft): Problem[] {
  const [fleet] = documents.Fleet.values()
  if (fleet === undefined || fleet.spec.mapFlags === 'Merge') return []
  const nulls = flagDocuments(documents).flatMap(({ document, path, flags }) => removals(document, path, flags))
  return fleet.spec.mapFlags === 'Replace' ? nulls : [...nulls, ...replacedMaps(documents).map((each) => told(fleet, each))]
}

interface FlagDocument {
  readonly document: Loaded<unknown>
  readonly path: Path
  readonly flags: Flags
}

function flagDocuments({ NodePool, FlagSet, NodeOverride }: Draft['documents']): FlagDocument[] {
  return [
    ...[...FlagSet.values()].map((document) => ({ document, path: ['flags'], flags: document.spec.flags })),
    ...[...NodePool.values()].map((document) => ({
      document,
      path: ['kubelet', 'flags'],
      flags: document.spec.kubelet?.flags ?? {},
    })),
    ...[...NodeOverride.values()].map((document) => ({ document, path: ['flags'], flags: document.spec.flags ?? {} })),
  ]
}

function removals(document: Loaded<unknown>, base: Path, flags: Flags): Problem[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const keys = typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
    return keys
      .filter((key) => (value as Readonly<Record<string, unknown>>)[key] === null)
      .map((key) =>
        errorAt(document, [...base, name, key], {
          reason: 'InvalidValue',
          message: `null removes key "${key}" of an earlier layer, and --${name} replaces earlier layers as a whole`,
          remedy: 'state mapFlags: Merge in the Fleet, or leave the key out',
        }),
      )
  })
}

interface ReplacedMap {
  readonly flag: string
  readonly by: SettingPlace
  readonly of: SettingPlace
}

/** The first of each flag: it is one decision for the repository. */
function replacedMaps(documents: Draft['documents']): ReplacedMap[] {
  const found = new Map<string, ReplacedMap>()
  const stated = new Map<string, SettingPlace>()
  const tell = (flag: string, { by, of }: Omit<ReplacedMap, 'flag'>) => found.has(flag) || found.set(flag, { flag, by, of })
  for (const pool of documents.NodePool.values()) {
    const inPool = new Map<string, SettingPlace>()
    for (const [flag, { place }] of flagPlaces(pool, documents).filter(([name]) => isMapFlag(name))) {
      const earlier = inPool.get(flag)
      if (earlier) tell(flag, { by: place, of: earlier })
      inPool.set(flag, place)
      stated.set(flag, place)
    }
  }
  for (const override of documents.NodeOverride.values())
    for (const flag of Object.keys(override.spec.flags ?? {})) {
      const earlier = stated.get(flag)
      if (earlier) tell(flag, { by: { document: override, path: ['flags', flag] }, of: earlier })
    }
  return [...found.values()]
}

function told(fleet: Loaded<unknown>, { flag, by, of }: ReplacedMap): Problem {
  const [later, earlier] = [by, of].map(({ document, path }) => formatLocation(document.source.where(path)))
  return {
    ...errorAt(fleet, [], {
      reason: 'Conflict',
      message: `--${flag} at ${later} replaces all keys of --${flag} at ${earlier}`,
      remedy: 'state mapFlags: Merge in the Fleet to merge maps by key, or mapFlags: Replace if this is meant',
    }),
    severity: 'warning',
  }
}
