import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inputFor } from './mutate.ts'
import { TARGETS } from './targets.ts'

/** Milliseconds for one input; a slow machine is ten times as slow as a quick one. */
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
    const start = performance.now()
    try {
      await target(input)
    } catch (error) {
      return { seed, input, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    const took = performance.now() - start
    if (took > LONGEST) return { seed, input, problem: `it took ${Math.round(took)} ms` }
  }
  return undefined
}
