import { parseArgs } from 'node:util'

/** One measured number. `aim`: what it should not exceed. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit:
    | 'ms'
    | 's'
    | 'MB'
    | 'per node'
    | 'ms a node'
    | 'ms a write'
    | 'per pod'
    | 'requests'
    | 'a second'
    | 'times'
    | 'running'
  readonly aim?: number
}

export interface BenchOptions {
  readonly output: 'text' | 'json'
  /** `--nodes N`, where a bench takes it. */
  readonly nodes: number | undefined
}

/** @throws when an option is unknown, or its value is none of those it can have. */
export function readOptions(args: readonly string[] = process.argv.slice(2)): BenchOptions {
  const options = { output: { type: 'string', short: 'o', default: 'text' }, nodes: { type: 'string' } } as const
  const { output, nodes } = parseArgs({ args: [...args], options }).values
  if (output !== 'text' && output !== 'json') throw new Error(`read -o "${output}": it must be text or json`)
  if (nodes !== undefined && !/^[1-9]\d{0,4}$/.test(nodes)) throw new Error(`read --nodes "${nodes}": it must be a number`)
  return { output, nodes: nodes === undefined ? undefined : Number(nodes) }
}

/** Prints the figures as a table, or as one line of JSON. */
export function print(figures: readonly Figure[], { output }: Pick<BenchOptions, 'output'>): void {
  console.log(output === 'json' ? JSON.stringify({ figures }) : table(figures))
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, aim }) => [
    name,
    `${rounded(value)} ${unit}`,
    aim === undefined ? '' : `aim ≤ ${aim}${value > aim ? ': missed' : ''}`,
  ])
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const [first, second] = [width(0), width(1)]
  return rows
    .map(([name = '', value = '', aim = '']) => `${name.padEnd(first)}  ${value.padStart(second)}  ${aim}`.trimEnd())
    .join('\n')
}

function rounded(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
