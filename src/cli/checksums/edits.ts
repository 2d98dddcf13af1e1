import { isMap, isScalar, type Scalar, type YAMLMap } from 'yaml'

/** Everything else in a file stays as it is, comments too. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function replaced(scalars: readonly (readonly [string, Scalar])[], found: ReadonlyMap<string, string>): readonly Edit[] {
  return scalars.flatMap(([arch, { range }]) => {
    const sum = found.get(arch)
    return range && sum !== undefined ? [{ start: range[0], end: range[1], text: `"${sum}"` }] : []
  })
}

interface NewVersion {
  readonly sums: YAMLMap
  readonly version: string
  readonly found: ReadonlyMap<string, string>
}

/** After the last version. @throws {Error} where there is no line to follow */
export function inserted(text: string, { sums, version, found }: NewVersion): Edit {
  const last = sums.items.at(-1)
  const key = last?.key
  if (sums.flow === true || !isScalar(key) || !key.range)
    throw new Error(`add "${version}" to "sha256" by hand first: one version below the other, each on lines of its own`)
  const indent = ' '.repeat(key.range[0] - (text.lastIndexOf('\n', key.range[0]) + 1))
  const end = text.indexOf('\n', endOf(last?.value))
  const at = end < 0 ? text.length : end
  const lines = [`"${version}":`, ...[...found].map(([arch, sum]) => `  ${arch}: "${sum}"`)]
  return { start: at, end: at, text: lines.map((line) => `\n${indent}${line}`).join('') }
}

function endOf(node: unknown): number {
  if (isMap(node)) return endOf(node.items.at(-1)?.value)
  return isScalar(node) ? (node.range?.[1] ?? 0) : 0
}

export function applied(text: string, edits: readonly Edit[]): string {
  // What is inserted at one place stands in the order of the edits.
  return edits
    .toReversed()
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, text: by }) => changed.slice(0, start) + by + changed.slice(end), text)
}
