/** Value of a gauge, with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Samples with equal labels as one. */
export function merged(samples: Iterable<Sample>): readonly Sample[] {
  const byLabels = new Map<string, { readonly labels: Sample['labels']; value: number }>()
  for (const { labels, value } of samples) {
    const key = JSON.stringify(labels)
    const known = byLabels.get(key)
    if (known) known.value += value
    else byLabels.set(key, { labels, value })
  }
  return [...byLabels.values()]
}
