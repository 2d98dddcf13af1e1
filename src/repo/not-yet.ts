/**
 * Fields that are part of the language but that this version does not act on. Each is refused: a repository that is accepted
 * is one whose every word has an effect. Implementing a field means taking its line out here.
 */
export interface NotYet {
  readonly kind: string
  /** Path within the spec; `*` stands for any key or index. */
  readonly path: readonly string[]
  /** Values that ask for nothing this version would not do. */
  readonly except?: readonly unknown[]
}

export const NOT_YET: readonly NotYet[] = [{ kind: 'KubeletRelease', path: ['dnf'] }]

/** Paths in a spec that stand for something this version would not do. */
export function notYetActedOn(
  kind: string,
  spec: unknown,
  fields: readonly NotYet[] = NOT_YET,
): (readonly (string | number)[])[] {
  return fields
    .filter((entry) => entry.kind === kind)
    .flatMap((entry) =>
      matches(spec, entry.path)
        .filter(({ value }) => !entry.except?.includes(value))
        .map(({ path }) => path),
    )
}

interface Match {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

function matches(value: unknown, [step, ...rest]: readonly string[], path: readonly (string | number)[] = []): Match[] {
  if (step === undefined) return [{ path, value }]
  return children(value)
    .filter(([key]) => step === '*' || step === key)
    .flatMap(([key, child]) => matches(child, rest, [...path, key]))
}

function children(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return [...value.entries()]
  return value !== null && typeof value === 'object' ? Object.entries(value) : []
}
