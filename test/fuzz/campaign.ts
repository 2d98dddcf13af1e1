import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inputFor } from './mutate.ts'
import { TARGETS } from './targets.ts'

/** Milliseconds of CPU for one input: a machine that is busy with something else finds nothing. */
const LONGEST = 5000

export interface Finding {
  readonly seed: number
  readonly input: Buffer
  readonly problem: string
}

export function corpusOf(name: string): readonly Buffer[] {
  const folder = join(import.meta.dirname, 'corpus', name)
  return readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file)))
}

/** Runs the inputs of some seeds. @returns the first that crashes, or takes too long */
export async function runSeeds(
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Finding | undefined> {
  const target = TARGETS[name]
  if (!target) throw new Error(`there is no campaign "${name}"; there are ${Object.keys(TARGETS).join(', ')}`)
  const corpus = corpusOf(name)
  for (let seed = from; seed < to; seed += 1) {
    const input = inputFor(seed, corpus)
    const before = process.threadCpuUsage()
    try {
      await target(input)
    } catch (error) {
      return { seed, input, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    const { user, system } = process.threadCpuUsage(before)
    const took = (user + system) / 1000
    if (took > LONGEST) return { seed, input, problem: `it took ${Math.round(took)} ms of CPU` }
  }
  return undefined
}
