/** What one kubelet version knows, as dump.go prints it. */
export interface Knowledge {
  /** Struct name → field → type: `string`, `bool`, `int`, `number`, `duration`, `interval`, `quantity`, `[]T`, `{}T`, or a struct's name. */
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly flags: Readonly<Record<string, { readonly type: string; readonly deprecated?: boolean; readonly field?: string }>>
  readonly gates: Readonly<
    Record<
      string,
      { readonly default: boolean; readonly stage: string; readonly locked?: boolean; readonly needs?: readonly string[] }
    >
  >
  /** `Struct.field` → the smallest and the largest number that is taken. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>
  /** `Struct.field` → the words that are taken. */
  readonly enums: Readonly<Record<string, readonly string[]>>
}

interface Row {
  readonly key: string
  readonly first: number
  last: number
}

/** One table for all versions, a row a fact and a line a row: `[…, first minor, last minor]`. Little changes from minor to minor. */
export function combine(known: ReadonlyMap<string, Knowledge>): string {
  const tables = {
    versions: [...known.keys()],
    fields: rows(known, ({ types }) =>
      Object.entries(types).flatMap(([owner, fields]) => Object.entries(fields).map(([name, type]) => [owner, name, type])),
    ),
    flags: rows(known, ({ flags }) =>
      Object.entries(flags).map(([name, { type, deprecated = false, field = '' }]) => [name, type, deprecated, field]),
    ),
    gates: rows(known, ({ gates }) =>
      Object.entries(gates).map(([name, gate]) => [name, gate.default, gate.locked ?? false, gate.stage]),
    ),
    gateNeeds: rows(known, ({ gates }) =>
      Object.entries(gates).flatMap(([name, { needs = [] }]) => needs.map((other) => [name, other])),
    ),
    ranges: rows(known, ({ ranges }) => Object.entries(ranges).map(([place, range]) => [place, ...range])),
    enums: rows(known, ({ enums }) => Object.entries(enums).map(([place, words]) => [place, words])),
  }
  const parts = Object.entries(tables).map(
    ([name, table]) => `"${name}": [\n${table.map((row) => JSON.stringify(row)).join(',\n')}\n]`,
  )
  return `{\n"generated": "by scripts/kubelet-knowledge/generate.ts, which says how; do not edit",\n${parts.join(',\n')}\n}\n`
}

function rows(known: ReadonlyMap<string, Knowledge>, facts: (knowledge: Knowledge) => readonly unknown[][]): unknown[][] {
  const found: Row[] = []
  for (const [version, knowledge] of known) {
    const minor = minorOf(version)
    for (const fact of facts(knowledge)) {
      const key = JSON.stringify(fact)
      const open = found.find((row) => row.key === key && row.last === minor - 1)
      if (open) open.last = minor
      else found.push({ key, first: minor, last: minor })
    }
  }
  return found
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.first - b.first))
    .map(({ key, first, last }) => [...(JSON.parse(key) as unknown[]), first, last])
}

function minorOf(version: string): number {
  return Number(version.split('.')[1])
}
