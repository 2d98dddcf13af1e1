import type { Doc, FleetModel, Location } from './model.ts'
import type { HostFileSpec, SecretSource } from './schema/host-profile.ts'

/** A value of a Secret of the cluster. */
export interface SecretRef {
  readonly name: string
  readonly key: string
}

/** Where a file takes a secret from, and where that stands. */
export interface SecretUse {
  readonly source: SecretSource
  readonly where: Location
}

export function secretUses({ hostProfiles, overrides }: Pick<FleetModel, 'hostProfiles' | 'overrides'>): SecretUse[] {
  const docs: Doc<{ readonly files?: readonly HostFileSpec[] }>[] = [...hostProfiles.values(), ...overrides]
  return docs.flatMap(({ spec, source: place }) =>
    (spec.files ?? []).flatMap(({ contentFrom }, index) =>
      contentFrom ? [{ source: contentFrom, where: place.where(['files', index, 'contentFrom']) }] : [],
    ),
  )
}

/** Neither name nor key has a "/" in it. */
export function refText({ name, key }: SecretRef): string {
  return `${name}/${key}`
}
