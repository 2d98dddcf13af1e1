/** One thing that a configuration manages. */
export interface Claim {
  /** Of the resource. */
  readonly kind: string
  /** The path or unit. */
  readonly key: string
  /** Of an environment file only these variables are ours; the rest stays its owner's. */
  readonly variables?: readonly string[] | undefined
}

/** A unit, and the subjects whose change restarts it. */
export interface Trigger {
  readonly unit: string
  readonly subjects: readonly string[]
}

/** What a configuration manages on a host. */
export interface Managed {
  readonly claims: readonly Claim[]
  readonly triggers: readonly Trigger[]
}

export function joinManaged(parts: readonly Managed[]): Managed {
  return { claims: parts.flatMap(({ claims }) => claims), triggers: parts.flatMap(({ triggers }) => triggers) }
}

/** Units that have to be restarted when this changes. */
export function unitsThatRead(key: string, { triggers }: Managed): string[] {
  return [...new Set(triggers.filter(({ subjects }) => subjects.includes(key)).map(({ unit }) => unit))]
}
