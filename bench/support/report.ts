import { InvalidArgumentError } from 'commander'
import { benchCommand } from './bench-command.ts'

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

/** Ends the process, with a line that says why, when an option is unknown, or its value is none of those it can have. */
export function readOptions(): BenchOptions {
  const command = benchCommand().option('--nodes <count>', 'nodes of the fleet, where the bench has one', readCount).parse()
  const { output, nodes } = command.opts<{ readonly output: 'text' | 'json'; readonly nodes?: number }>()
  return { output, nodes }
}

/** @returns a reader that throws {InvalidArgumentError} for what is no number from 1 to `most` */
export const readUpTo =
  (most: number) =>
  (text: string): number => {
    if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > most)
      throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`)
    return Number(text)
  }

export const readCount = readUpTo(99_999)

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

/** Milliseconds of CPU that this thread has used: other work on the machine does not count, though it slows memory down. */
export function cpuUsed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
