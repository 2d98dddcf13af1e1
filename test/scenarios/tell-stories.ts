/** How a story ended. */
export type Told =
  | { readonly ok: true /** Situations that the story came to. */; readonly reached?: ReadonlySet<string> }
  | { readonly ok: false; readonly error: unknown; readonly lines: readonly string[] }

/** A kind of story. */
export interface Kind {
  readonly name: string
  /** How many events come before the faults cease. */
  readonly steps: number
  /** The same seed, the same story. @param steps fewer are the same story's beginning */
  readonly tell: (seed: number, steps: number) => Told | Promise<Told>
}

/** The shortest beginning of a story that fails, ready to be read. @returns undefined when the story does not fail */
export async function failureOf(kind: Kind, seed: number, reached?: (situation: string) => void): Promise<string | undefined> {
  const whole = await kind.tell(seed, kind.steps)
  if (whole.ok) {
    for (const situation of whole.reached ?? []) reached?.(situation)
    return undefined
  }
  for (let steps = 0; steps <= kind.steps; steps++) {
    const told = await kind.tell(seed, steps)
    if (!told.ok) return describe(told, `npm run soak -- --kind ${kind.name} --seed ${seed} --steps ${steps}`)
  }
  return describe(whole, `npm run soak -- --kind ${kind.name} --seed ${seed}`)
}

export function describe({ error, lines }: Extract<Told, { ok: false }>, replay: string): string {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return [...lines, '', reason, '', 'tell it again:', `  ${replay}`].join('\n')
}
